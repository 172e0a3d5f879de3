import Foundation

public enum AlertKind: String, GrowingEnum, Sendable, CaseIterable {
    /// The kind that matters most: an unknown alert must not look like less.
    public static let fallback = manual

    /// Raised by the user.
    case manual
    /// Opened by the server when a deadline passed.
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
    /// Nobody could be notified in time, because the server was down; the responders know that.
    public var toldLate: Bool
    /// The time when the server learned of it, if that was more than a minute after the start.
    public var receivedTime: Date?
    /// The acknowledgement, if a responder has taken it on.
    public var acknowledgement: Acknowledgement?
    /// The report that pauses the repeats at the moment.
    public var report: AlertAction?
    /// The responders' actions, oldest first. Empty in lists.
    @GrowingList public var history: [AlertAction]
    /// The names of the other notified people. Empty in lists, and for the owner, who has all
    /// of it in the ledger.
    @GrowingList public var othersTold: [String]
    /// The deliveries: recipient, time, channel and result. The owner sees all of them, a responder
    /// those that concern them. Empty in lists.
    @GrowingList public var ledger: [LedgerEntry]

    public init(
        id: String, startTime: Date, endTime: Date?, userId: String, isActive: Bool,
        kind: AlertKind,
        deadline: Date? = nil, toldLate: Bool = false, receivedTime: Date? = nil,
        acknowledgement: Acknowledgement? = nil, report: AlertAction? = nil,
        history: [AlertAction] = [], othersTold: [String] = [], ledger: [LedgerEntry] = []
    ) {
        self.id = id
        self.startTime = startTime
        self.endTime = endTime
        self.userId = userId
        self.isActive = isActive
        self.kind = kind
        self.deadline = deadline
        self.toldLate = toldLate
        self.receivedTime = receivedTime
        self.acknowledgement = acknowledgement
        self.report = report
        self.history = history
        self.othersTold = othersTold
        self.ledger = ledger
    }

    /// The record as lists and events carry it, without the details of a single alert.
    public var withoutDetails: AlertRecord {
        var record = self
        record.history = []
        record.othersTold = []
        record.ledger = []
        return record
    }

    /// This state with the details that were read before, if it brings none.
    public func keepingDetails(of known: AlertRecord) -> AlertRecord {
        guard known.id == id, history.isEmpty, othersTold.isEmpty, ledger.isEmpty else {
            return self
        }
        var record = self
        record.history = known.history
        record.othersTold = known.othersTold
        record.ledger = known.ledger
        return record
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

    /// One entry: who was notified when, and by what channel.
    public struct LedgerEntry: Codable, Equatable, Sendable {
        public var recipientId: String
        public var name: String
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var time: Date
        public var attempts: Int
        /// Why it came to this, in a class such as `http-401`; nil when all went well.
        public var reason: String?
        /// When a device said that it has the message.
        public var receivedTime: Date?
        /// When it came to this state, if that was not at once.
        public var changedTime: Date?
        /// When it is tried next, or for the first time.
        public var nextTime: Date?

        public init(
            recipientId: String, name: String, channel: DeliveryChannel, state: DeliveryState,
            time: Date, attempts: Int, reason: String? = nil, receivedTime: Date? = nil
        ) {
            self.recipientId = recipientId
            self.name = name
            self.channel = channel
            self.state = state
            self.time = time
            self.attempts = attempts
            self.reason = reason
            self.receivedTime = receivedTime
        }
    }
}
