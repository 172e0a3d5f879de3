import Foundation

/// Something a responder did about an alert, as its history keeps it.
public struct AlertAction: Codable, Equatable, Sendable {
    public var kind: Kind
    /// The responder; random per alert for other responders.
    public var responderId: String
    public var name: String
    public var time: Date

    public init(kind: Kind, responderId: String, name: String, time: Date) {
        self.kind = kind
        self.responderId = responderId
        self.name = name
        self.time = time
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
