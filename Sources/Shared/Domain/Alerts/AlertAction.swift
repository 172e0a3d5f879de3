import Foundation

/// Something a responder did about an alert, as its history keeps it.
public struct AlertAction: Codable, Equatable, Sendable {
    public var kind: Kind
    /// The responder; random per alert for other responders.
    public var responderId: String
    public var name: String
    public var time: Date
    /// How they said it, unless it was in the app or on a page of LifeSignal.
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
        /// It goes on: the answer to the question after 30 minutes.
        case confirmed
        case withdrew
        /// The question was not answered in time.
        case lapsed
        case withThem
        case foundSafe
        case emergencyServicesCalled
        /// The repeats go on in spite of a report.
        case resumed
        /// "I can't."
        case declined

        /// A report tells everyone something and pauses the repeats.
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
    /// Follows the words of the action; nil for one in the app. The number of a text message can be
    /// forged, so everybody reads that it was one.
    public var means: String? {
        switch channel {
        case .sms: "by text message"
        case .voice: "by a call"
        case nil, .stream, .console, .webhook, .webPush, .apns, .fcm, .email, .unknown: nil
        }
    }
}
