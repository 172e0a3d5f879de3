/// The reason why a delivery failed or waits: a class for counting and, for some, a code. The
/// ledger and the log contain its text, so it never holds personal data.
public struct DeliveryReason: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The status of an HTTP answer.
        case http
        /// Twilio's error code.
        case twilio
        /// The reply of a mail server.
        case smtp
        case timeout
        /// The host name can't be resolved.
        case unresolved
        /// This machine is offline.
        case offline
        /// The address refused the connection.
        case connectionRefused = "connection-refused"
        case insecure
        /// The connection broke before the answer was complete.
        case interrupted
        /// The connection broke after the whole message was sent, so it may have been accepted.
        case unconfirmed
        case privateAddress = "private-address"
        case endpointRemoved = "endpoint-removed"
        /// The browser subscribed with a key that this server doesn't have any more.
        case keyChanged = "key-changed"
        /// The push service currently accepts no messages.
        case serviceFailing = "service-failing"
        /// The provider rejects this server's credentials or settings, which the operator can
        /// correct.
        case credentials
        /// The keys of the subscription are invalid.
        case unreadableKeys = "unreadable-keys"
        /// The message has expired.
        case tooLate = "too-late"
        case notificationDeleted = "notification-deleted"
        case recipientUnreadable = "recipient-unreadable"
        case superseded
        /// A limit applies to SMS or calls, and the person was told shortly before.
        case storm
        case accountDeleted = "account-deleted"
        /// An SMS follows if the person doesn't react to the earlier messages.
        case waitingForAnswer = "waiting-for-answer"
        /// A call follows if no responder acknowledges the alert before its turn.
        case waitingForTurn = "waiting-for-turn"
        /// The person has opened the alert or its notification.
        case opened
        /// The person has answered: acknowledged, reported, or the like.
        case answered
        /// The person has said that they can't help.
        case declined
        /// The person has stopped text messages.
        case textsStopped = "texts-stopped"
        /// A responder is on it, so calls are withdrawn.
        case takenOn = "taken-on"
        /// The phone rang and the call wasn't answered.
        case noAnswer = "no-answer"
        /// A machine answered a call.
        case voicemail
        case lineBusy = "line-busy"
        case callFailed = "call-failed"
        /// A person or a machine answered the call, but no key was pressed.
        case noKeyPressed = "no-key-pressed"
        /// A budget of the operator is used up.
        case overBudget = "over-budget"
        /// The mail server rejects the user name and the password.
        case signInRefused = "sign-in-refused"
        case other
    }

    public var kind: Kind
    public var code: Int?

    public init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    /// True if the provider may have accepted the message despite the failure.
    public var isUncertain: Bool {
        switch kind {
        case .timeout, .interrupted, .unconfirmed, .other: true
        default: false
        }
    }

    public static func http(_ status: Int) -> Self { Self(.http, code: status) }
    public static func credentials(_ status: Int) -> Self { Self(.credentials, code: status) }
    public static func twilio(_ code: Int) -> Self { Self(.twilio, code: code) }
    public static func smtp(_ code: Int) -> Self { Self(.smtp, code: code) }
    public static let timeout = Self(.timeout)
    public static let privateAddress = Self(.privateAddress)
    public static let endpointRemoved = Self(.endpointRemoved)
    public static let keyChanged = Self(.keyChanged)
    public static let serviceFailing = Self(.serviceFailing)
    public static let unreadableKeys = Self(.unreadableKeys)
    public static let tooLate = Self(.tooLate)
    public static let notificationDeleted = Self(.notificationDeleted)
    public static let recipientUnreadable = Self(.recipientUnreadable)
    public static let superseded = Self(.superseded)
    public static let waitingForAnswer = Self(.waitingForAnswer)
    public static let waitingForTurn = Self(.waitingForTurn)
    public static let opened = Self(.opened)
    public static let answered = Self(.answered)
    public static let declined = Self(.declined)
    public static let textsStopped = Self(.textsStopped)
    public static let takenOn = Self(.takenOn)
    public static let noAnswer = Self(.noAnswer)
    public static let voicemail = Self(.voicemail)
    public static let unconfirmed = Self(.unconfirmed)
    public static let overBudget = Self(.overBudget)
    public static let signInRefused = Self(.signInRefused)
    public static let lineBusy = Self(.lineBusy)
    public static let callFailed = Self(.callFailed)
    public static let noKeyPressed = Self(.noKeyPressed)
    public static let other = Self(.other)

    /// True for Twilio's code for a recipient who has replied STOP.
    public var isUnsubscribed: Bool { self == .twilio(21_610) }

    /// The reason as shown in the ledger and the log: `http-401`, `timeout`.
    public var description: String { code.map { "\(kind.rawValue)-\($0)" } ?? kind.rawValue }

    /// True if the receiver caused the failure, rather than this server or its network.
    public var isOfTheEndpoint: Bool {
        switch kind {
        case .offline, .other, .endpointRemoved, .serviceFailing, .credentials: false
        default: true
        }
    }

    /// The reason as a metric's label, with few values: HTTP statuses are grouped by hundreds.
    public var group: String {
        guard kind == .http, let code else { return kind.rawValue }
        return "http-\(code / 100)xx"
    }
}
