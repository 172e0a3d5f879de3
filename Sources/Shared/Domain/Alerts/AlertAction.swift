import Foundation

/// A responder's action on an alert, as stored in its history.
public struct AlertAction: Codable, Equatable, Sendable {
    public var kind: Kind
    /// The responder's id. Other responders get a random id instead, which differs for each alert.
    public var responderId: String
    public var name: String
    public var time: Date
    /// The channel of the answer; nil if it was given in the app or on a page of LifeSignal.
    public var channel: DeliveryChannel?

    public init(
        kind: Kind, responderId: String, name: String, time: Date, channel: DeliveryChannel? = nil
    ) {
        self.kind = kind
        self.responderId = responderId
        self.name = name
        self.time = time
        self.channel = channel
    }

    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// "I'm on it."
        case acknowledged
        /// The responder has confirmed that they are still on it. The server asks them 30 minutes
        /// after the acknowledgement.
        case confirmed
        case withdrew
        /// The responder didn't answer that question in time.
        case lapsed
        case withThem
        case foundSafe
        case emergencyServicesCalled
        /// The person in need has denied a report, so the repeats resume.
        case resumed
        /// "I can't."
        case declined

        /// True if the action says that the responder isn't coming.
        public var isRefusal: Bool { self == .declined || self == .withdrew }

        /// The report that this action makes; nil for other actions. A report notifies everyone and
        /// pauses the repeats.
        public var report: AlertReport? { AlertReport(rawValue: rawValue) }
    }
}

/// A responder's report (product.md, "Escalation"). The alert itself stays open.
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
    /// The channel as text to append to the action; nil for an action in the app. A text message is
    /// named as such, because its sender's number can be forged.
    public var means: String? {
        switch channel {
        case .sms: "by text message"
        case .voice: "by a call"
        case nil, .stream, .console, .webhook, .webPush, .apns, .fcm, .email, .unknown: nil
        }
    }
}
