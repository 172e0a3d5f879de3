/// Why a delivery failed or waits. The ledger and the log show the reason, so it never holds
/// personal data.
public struct DeliveryReason: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The status of an HTTP answer.
        case http
        /// Twilio's error code.
        case twilio
        /// The reply of a mail server.
        case smtp
        case timeout
        /// Connecting took too long, so nothing was sent.
        case notConnected = "not-connected"
        case unresolved
        case offline
        case connectionRefused = "connection-refused"
        case insecure
        /// The connection broke before the whole answer arrived.
        case interrupted
        /// The connection broke after the whole message was sent, or the server stopped during the
        /// attempt and newer news prevented another. The provider may have accepted it.
        case unconfirmed
        case privateAddress = "private-address"
        case endpointRemoved = "endpoint-removed"
        /// The browser subscribed with a key that this server doesn't have.
        case keyChanged = "key-changed"
        /// The push service currently accepts no messages.
        case serviceFailing = "service-failing"
        /// The provider rejects this server's credentials or settings. The operator can correct
        /// them.
        case credentials
        case unreadableKeys = "unreadable-keys"
        /// The message expired.
        case tooLate = "too-late"
        case notificationDeleted = "notification-deleted"
        case recipientUnreadable = "recipient-unreadable"
        case superseded
        /// The person was told shortly before, so a limit stops this SMS or call.
        case storm
        case accountDeleted = "account-deleted"
        /// The SMS is sent if the person doesn't react to earlier messages.
        case waitingForAnswer = "waiting-for-answer"
        /// The SMS is sent if no push and no e-mail is accepted.
        case waitingForReceipt = "waiting-for-receipt"
        /// The call starts in its turn if no responder acknowledges the alert before.
        case waitingForTurn = "waiting-for-turn"
        /// The person opened the alert or its notification.
        case opened
        /// The person acted on the alert: acknowledged it, reported, or the like.
        case answered
        case declined
        /// The person answered STOP to a text message.
        case textsStopped = "texts-stopped"
        /// A responder is on it, so the call isn't needed.
        case takenOn = "taken-on"
        case noAnswer = "no-answer"
        case voicemail
        case lineBusy = "line-busy"
        case callFailed = "call-failed"
        case noKeyPressed = "no-key-pressed"
        case overBudget = "over-budget"
        /// The mail server rejects this server's user name and password.
        case signInRefused = "sign-in-refused"
        /// The owner of the alert sees no details of messages to a person who isn't an accepted
        /// responder. Deliveries never have this reason.
        case notAccepted = "not-accepted"
        case other

        /// The reasons of calls that rang without an answer. A call to a busy line and one that
        /// failed cost nothing, and the person heard nothing.
        public static let ofRingingCalls: [Self] = [.noAnswer, .voicemail, .noKeyPressed]
    }

    public var kind: Kind
    public var code: Int?

    public init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    /// The HTTP statuses that leave open whether the provider has accepted the message.
    public static let uncertainStatuses = [500, 502, 504]

    /// True if the provider may have accepted the message despite the failure.
    public var isUncertain: Bool {
        switch kind {
        case .timeout, .interrupted, .unconfirmed, .other: true
        // A server may fail, or a proxy lose its answer, after accepting the message. 503 says that
        // the server took no request.
        case .http: Self.uncertainStatuses.contains(code ?? 0)
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
    public static let waitingForReceipt = Self(.waitingForReceipt)
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
    public static let notAccepted = Self(.notAccepted)
    public static let other = Self(.other)

    /// True for Twilio's error about a recipient who answered STOP.
    public var isUnsubscribed: Bool { self == .twilio(21_610) }

    /// The text for the ledger and the log: `http-401`, `timeout`.
    public var description: String { code.map { "\(kind.rawValue)-\($0)" } ?? kind.rawValue }

    /// True if the receiver caused the failure, and not this server or its network.
    public var isOfTheEndpoint: Bool {
        switch kind {
        case .offline, .other, .endpointRemoved, .serviceFailing, .credentials: false
        default: true
        }
    }

    /// A metric's label with few values. HTTP statuses become `http-4xx`.
    public var group: String {
        guard kind == .http, let code else { return kind.rawValue }
        return "http-\(code / 100)xx"
    }
}
