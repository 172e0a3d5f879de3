import Foundation

/// A responder's action on an alert, as stored in its history.
public struct AlertAction: Codable, Equatable, Sendable {
    public var kind: Kind
    /// The responder's id. Other responders get a random id instead, which differs for each alert.
    public var responderId: String
    public var name: String
    public var time: Date
    /// The channel of the answer; nil for an answer in the app or on a web page.
    public var channel: DeliveryChannel?
    /// True for a `withdrew` that the responder didn't choose: their role ended. Only the person in
    /// need sees it; nil from older servers.
    public var isLossOfRole: Bool?

    public init(
        kind: Kind, responderId: String, name: String, time: Date, channel: DeliveryChannel? = nil,
        isLossOfRole: Bool? = nil
    ) {
        self.kind = kind
        self.responderId = responderId
        self.name = name
        self.time = time
        self.channel = channel
        self.isLossOfRole = isLossOfRole
    }

    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// "I'm on it."
        case acknowledged
        /// The responder is still on it. The server asks 30 minutes after the acknowledgement.
        case confirmed
        case withdrew
        /// The responder didn't confirm in time.
        case lapsed
        case withThem
        case foundSafe
        case emergencyServicesCalled
        /// The person in need or a responder lifted a report.
        case resumed
        /// "I can't."
        case declined

        /// A responder refuses an alert by "I can't", and by taking "I'm on it" back. The server
        /// doesn't count a responder whose "I'm on it" ended with the role.
        public var isRefusal: Bool { self == .declined || self == .withdrew }

        /// The report made by this action; nil for other actions.
        public var report: AlertReport? { AlertReport(rawValue: rawValue) }
    }
}

/// A responder's report (product.md, "Escalation"). It pauses the repeats, and the alert stays
/// open.
public enum AlertReport: String, Codable, Sendable, CaseIterable {
    case withThem, foundSafe, emergencyServicesCalled

    public var action: AlertAction.Kind {
        switch self {
        case .withThem: .withThem
        case .foundSafe: .foundSafe
        case .emergencyServicesCalled: .emergencyServicesCalled
        }
    }
}

extension AlertAction {
    /// The text that names the channel; nil for an answer in the app. Readers should know about a
    /// text message, because its sender's number can be forged.
    public var means: String? {
        switch channel {
        case .sms: "by text message"
        case .voice: "by a call"
        case nil, .stream, .console, .webhook, .webPush, .apns, .fcm, .email, .unknown: nil
        }
    }
}
