/// Why a delivery did not get through: a class for counting and, where there is one, a code. The
/// text goes into the ledger and the log, so it never holds personal data.
public struct DeliveryReason: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The status of an answer.
        case http
        /// Twilio's error code.
        case twilio
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
        case other
    }

    public var kind: Kind
    public var code: Int?

    public init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    public static func http(_ status: Int) -> Self { Self(.http, code: status) }
    public static func credentials(_ status: Int) -> Self { Self(.credentials, code: status) }
    public static func twilio(_ code: Int) -> Self { Self(.twilio, code: code) }
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
    public static let other = Self(.other)

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
