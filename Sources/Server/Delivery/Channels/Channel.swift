import Domain
import Foundation
import HTTPClient
import Persistence

/// A way to reach somebody outside.
public protocol Channel: Sendable {
    var kind: DeliveryChannel { get }
    /// Makes one try. Never throws: what went wrong is the outcome.
    func send(_ delivery: LeasedDelivery) async -> DeliveryResult
}

public enum DeliveryResult: Equatable, Sendable {
    /// The provider took it; `providerID` is its name for the message, if it will report on it
    /// later.
    case accepted(providerID: String?)
    /// It may work another time; `after` is the pause that the provider asked for.
    case failed(DeliveryReason, after: Duration = .zero)
    /// The provider's final no: another try would change nothing.
    case refused(DeliveryReason)
    /// The endpoint says that it is not there. It is tried again all the same, for some days.
    case gone(DeliveryReason)
    /// The endpoint will never take anything again, and is removed, unless it was registered again
    /// after `at`.
    case ended(DeliveryReason, at: Date? = nil)

    /// nil when it was accepted.
    public var reason: DeliveryReason? {
        switch self {
        case .accepted: nil
        case .failed(let reason, _), .refused(let reason), .gone(let reason),
            .ended(let reason, _):
            reason
        }
    }

    /// True for a provider that works and takes nothing for this recipient.
    var isAboutRecipient: Bool {
        switch self {
        case .refused, .gone, .ended: true
        case .accepted, .failed: false
        }
    }

    var wish: Duration { if case .failed(_, let after) = self { after } else { .zero } }
}

extension DeliveryReason {
    /// Why a request got no answer.
    init(_ error: any Error) {
        self =
            switch error as? HTTPClientError {
            case .privateAddress: .privateAddress
            case .timedOut: .timeout
            case .unresolved: Self(.unresolved)
            case .offline: Self(.offline)
            case .refused: Self(.connectionRefused)
            case .insecure: Self(.insecure)
            case .interrupted: Self(.interrupted)
            case .failed, nil: .other
            }
    }
}

extension IncomingResponse {
    /// The pause that `Retry-After` asks for, in seconds (RFC 9110 allows a date, too, which no
    /// provider here sends). Callers bound it.
    var retryAfter: Duration {
        headers["retry-after"].flatMap { Int($0) }.map { .seconds(min(max($0, 0), 86_400)) }
            ?? .zero
    }
}

/// Shows notifications in the terminal of a development server.
public struct ConsoleChannel: Channel {
    public let kind = DeliveryChannel.console
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        print(
            """
            notification for \(delivery.phoneNumber?.text ?? "a guest"): \
            \(delivery.record.notification.title). \
            \(delivery.record.notification.body)
            """
        )
        return .accepted(providerID: nil)
    }
}
