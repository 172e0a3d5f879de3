/// Why a delivery did not get through: a class for counting and, where there is one, a code. The
/// text goes into the ledger and the log, so it never holds personal data.
public struct DeliveryReason: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The status of an answer.
        case http
        /// Twilio's error code.
        case twilio
        /// The reply of a mail server.
        case smtp
        case timeout
        /// The name leads nowhere.
        case unresolved
        /// This machine has no way out.
        case offline
        /// Nobody takes connections at the address.
        case connectionRefused = "connection-refused"
        case insecure
        /// The connection broke before the answer was whole.
        case interrupted
        /// The connection broke after the whole message: nobody knows whether it was taken.
        case unconfirmed
        case privateAddress = "private-address"
        case endpointRemoved = "endpoint-removed"
        /// The browser subscribed for a key that this server has not got any more.
        case keyChanged = "key-changed"
        /// The push service takes nothing from anybody at the moment.
        case serviceFailing = "service-failing"
        /// The provider refuses this server's credentials or settings: the operator can mend it.
        case credentials
        /// The keys of the subscription are of no use.
        case unreadableKeys = "unreadable-keys"
        /// The message is no longer of use to anybody.
        case tooLate = "too-late"
        case notificationDeleted = "notification-deleted"
        case recipientUnreadable = "recipient-unreadable"
        case superseded
        /// The limits of SMS have made it needless.
        case storm
        case accountDeleted = "account-deleted"
        /// An SMS follows if the person does not react to what they were sent first.
        case waitingForAnswer = "waiting-for-answer"
        /// A call follows if nobody takes the alert on before its turn comes.
        case waitingForTurn = "waiting-for-turn"
        /// The person has opened the alert or its notification.
        case opened
        /// The person has answered: taken it on, reported, or the like.
        case answered
        /// The person has said that they can't help.
        case declined
        /// The person wants no text messages.
        case textsStopped = "texts-stopped"
        /// Somebody is on it, so nobody is called.
        case takenOn = "taken-on"
        /// The phone rang and nobody took the call.
        case noAnswer = "no-answer"
        /// A machine answered a call.
        case voicemail
        case lineBusy = "line-busy"
        case callFailed = "call-failed"
        /// Somebody, or a machine, took the call, and no key was pressed.
        case noKeyPressed = "no-key-pressed"
        /// A budget of the operator is used up.
        case overBudget = "over-budget"
        /// The mail server does not take the user name and the password.
        case signInRefused = "sign-in-refused"
        case other
    }

    public var kind: Kind
    public var code: Int?

    public init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    /// The provider may have taken the message all the same.
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

    /// Twilio's word for a recipient who has written STOP.
    public var isUnsubscribed: Bool { self == .twilio(21_610) }

    /// The reason as the ledger and the log show it: `http-401`, `timeout`.
    public var description: String { code.map { "\(kind.rawValue)-\($0)" } ?? kind.rawValue }

    /// The receiver is at fault, and not this server or its network.
    public var isOfTheEndpoint: Bool {
        switch kind {
        case .offline, .other, .endpointRemoved, .serviceFailing, .credentials: false
        default: true
        }
    }

    /// The reason as a metric's label, with few values: HTTP statuses by hundreds.
    public var group: String {
        guard kind == .http, let code else { return kind.rawValue }
        return "http-\(code / 100)xx"
    }
}
