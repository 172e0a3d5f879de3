import Foundation

public enum AlertKind: String, Codable, Sendable, CaseIterable {
    /// Raised by the user.
    case manual
    /// Raised by the watch when a deadline passed.
    case missedCheckIn
}

/// A call for help as the person concerned and their responders see it.
public struct AlertRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var startTime: Date
    public var endTime: Date?
    public var userId: String
    public var isActive: Bool

    public var kind: AlertKind
    /// The deadline that passed, for a missed check-in.
    public var deadline: Date?
    /// The watch could not tell in time (the server was down); the responders were told so.
    public var toldLate: Bool
    /// Who has taken it on, if someone has.
    public var acknowledgement: Acknowledgement?
    /// Who was told when, by which channel, and what became of it. Empty in lists.
    public var ledger: [LedgerEntry]

    public init(
        id: String, startTime: Date, endTime: Date?, userId: String, isActive: Bool, kind: AlertKind,
        deadline: Date? = nil, toldLate: Bool = false, acknowledgement: Acknowledgement? = nil, ledger: [LedgerEntry] = []
    ) {
        self.id = id
        self.startTime = startTime
        self.endTime = endTime
        self.userId = userId
        self.isActive = isActive
        self.kind = kind
        self.deadline = deadline
        self.toldLate = toldLate
        self.acknowledgement = acknowledgement
        self.ledger = ledger
    }

    /// "I'm on it."
    public struct Acknowledgement: Codable, Equatable, Sendable {
        public var responderId: String
        public var name: String
        public var time: Date
        /// Seconds between the start of the alert and the acknowledgement.
        public var afterSeconds: Double

        public init(responderId: String, name: String, time: Date, afterSeconds: Double) {
            self.responderId = responderId
            self.name = name
            self.time = time
            self.afterSeconds = afterSeconds
        }
    }

    /// One line of "who was told when, by what channel".
    public struct LedgerEntry: Codable, Equatable, Sendable {
        public var recipientId: String
        public var name: String
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var time: Date
        public var attempts: Int

        public init(recipientId: String, name: String, channel: DeliveryChannel, state: DeliveryState, time: Date, attempts: Int) {
            self.recipientId = recipientId
            self.name = name
            self.channel = channel
            self.state = state
            self.time = time
            self.attempts = attempts
        }
    }
}
