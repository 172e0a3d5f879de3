import Domain
import Foundation
import HTTPClient
import Persistence
import WebText

/// A way to reach a person outside the app, such as SMS or push.
public protocol Channel: Sendable {
    var kind: DeliveryChannel { get }
    /// Makes one attempt. Turns errors into results.
    func send(_ delivery: LeasedDelivery) async -> DeliveryResult
}

public enum DeliveryResult: Equatable, Sendable {
    /// The provider accepted the message under the id `providerID`; nil if the provider sends no
    /// later report.
    case accepted(providerID: String?)
    /// A retry may succeed. `after` is the provider's back-off. `isAboutRecipient` is true if the
    /// provider works, but can't take messages to this recipient now.
    case failed(DeliveryReason, after: Duration = .zero, isAboutRecipient: Bool = false)
    /// A retry would fail, too.
    case refused(DeliveryReason)
    /// The endpoint reports that it doesn't exist. Retries continue for some days.
    case gone(DeliveryReason)
    /// The endpoint will never accept a message. It is removed unless it was registered after `at`.
    case ended(DeliveryReason, at: Date? = nil)

    public var reason: DeliveryReason? {
        switch self {
        case .accepted: nil
        case .failed(let reason, _, _), .refused(let reason), .gone(let reason),
            .ended(let reason, _):
            reason
        }
    }

    /// Whether the provider works but rejects this recipient.
    var isAboutRecipient: Bool {
        switch self {
        case .refused, .gone, .ended: true
        case .failed(_, _, let isAboutRecipient): isAboutRecipient
        case .accepted: false
        }
    }

    var wish: Duration { if case .failed(_, let after, _) = self { after } else { .zero } }
}

extension DeliveryReason {
    init(_ error: any Error) {
        self =
            switch error as? HTTPClientError {
            case .privateAddress: .privateAddress
            case .timedOut: .timeout
            case .notConnected: Self(.notConnected)
            case .unresolved: Self(.unresolved)
            case .offline: Self(.offline)
            case .refused: Self(.connectionRefused)
            case .insecure: Self(.insecure)
            case .interrupted: Self(.interrupted)
            case .failed, nil: .other
            }
    }
}

extension OutgoingRequest {
    /// The time limit of a request that creates an SMS or a call. A provider that takes longer may
    /// still accept it, and the retry creates another.
    static let timeoutOfPaidMessages: Duration = .seconds(20)
}

extension IncomingResponse {
    /// The back-off in `Retry-After`, at most a day. An HTTP date is compared with the response's
    /// `Date`, and ignored without one.
    var retryAfter: Duration {
        RetryAfter.pause(headers["retry-after"], now: headers["date"].flatMap(HTTPDate.date))
    }
}

extension NotificationItem {
    /// The title as a sentence, and the body.
    var sentences: String { "\(title)\(title.hasSuffix("?") ? "" : ".") \(body)" }
}

/// Prints notifications in the terminal of a development server.
public struct ConsoleChannel: Channel {
    public let kind = DeliveryChannel.console
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        print(
            """
            notification for \(delivery.phoneNumber?.text ?? "a guest"): \
            \(delivery.record.notification.sentences)
            """
        )
        return .accepted(providerID: nil)
    }
}
