import Domain
import Persistence

/// A way to reach somebody outside.
public protocol Channel: Sendable {
    var kind: DeliveryChannel { get }
    /// Makes one try. Never throws: what went wrong is the outcome.
    func send(_ delivery: LeasedDelivery) async -> Outcome
}

public enum Outcome: Equatable, Sendable {
    /// The provider took it; `providerID` is its name for the message, if it will report on it later.
    case accepted(providerID: String?)
    /// It may work another time.
    case failed(String)
    /// The provider's final no: another try would change nothing.
    case refused(String)
    /// The endpoint is dead, and is forgotten.
    case gone(String)
}

/// Shows notifications in the terminal of a development server.
public struct ConsoleChannel: Channel {
    public let kind = DeliveryChannel.console
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ delivery: LeasedDelivery) async -> Outcome {
        print("notification for \(delivery.phoneNumber): \(delivery.record.notification.title). \(delivery.record.notification.body)")
        return .accepted(providerID: nil)
    }
}
