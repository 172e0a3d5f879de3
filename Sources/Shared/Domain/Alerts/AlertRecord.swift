import Foundation

public enum AlertKind: String, GrowingEnum, Sendable, CaseIterable {
    /// The most urgent kind, because an alert of an unknown kind must not look less urgent.
    public static let fallback = manual

    /// Raised by the user.
    case manual
    /// Opened by the server when a deadline passed.
    case missedCheckIn
}

/// An alert as its owner and their responders see it.
public struct AlertRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var startTime: Date
    public var endTime: Date?
    public var userId: String
    public var isActive: Bool

    public var kind: AlertKind
    /// The deadline that passed, for a missed check-in.
    public var deadline: Date?
    /// True if an outage of the server delayed the notifications. The notifications then mention
    /// the delay.
    public var toldLate: Bool
    /// The time when the server received the alert; nil if that was within a minute of the start.
    public var receivedTime: Date?
    /// The current acknowledgement, if there is one.
    public var acknowledgement: Acknowledgement?
    /// The report that currently pauses the repeats.
    public var report: AlertAction?
    /// The last refusal of each responder who isn't coming. Set only for the owner of an open
    /// alert, while no responder is on it; nil if there are none.
    public var refusals: [AlertAction]?
    /// True if everyone who was asked has refused. Set only for the owner; nil for others.
    public var isRefusedByAll: Bool?
    /// The device that ended the alert; nil while it is open. Set only for the owner; nil for
    /// others.
    public var ending: Ending?
    /// The responders' actions, oldest first. Empty in lists.
    @GrowingList public var history: [AlertAction]
    /// The names of the people who were notified, without the reader. Empty in lists, and for the
    /// owner, whose ledger contains the names.
    @GrowingList public var othersTold: [String]
    /// The deliveries: recipient, time, channel and result. The owner sees all of them, a responder
    /// only their own. Empty in lists.
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

    /// The time when the repeats resume by themselves; nil while no report pauses the repeats.
    public var pausedUntil: Date? {
        isActive ? report?.time.adding(Escalation.pauseAfterReport) : nil
    }

    /// The record as lists and events contain it, without the details of a single alert.
    public var withoutDetails: AlertRecord {
        var record = self
        record.history = []
        record.othersTold = []
        record.ledger = []
        return record
    }

    /// Returns false if everyone else who was notified has said that they aren't coming.
    public func leavesOthers(besides viewer: UserID) -> Bool {
        let last = Dictionary(
            history.map { ($0.responderId, $0.kind) }, uniquingKeysWith: { $1 })
        let refusing = last.count { $0.key != viewer.description && $0.value.isRefusal }
        return refusing < othersTold.count
    }

    /// Returns this record. If its details are missing, takes them from `known`.
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

    /// The session that ended the alert. It is the owner's, but another person may have used the
    /// device.
    public struct Ending: Codable, Equatable, Sendable {
        public var sessionId: String
        /// The name that the device gave itself.
        public var deviceName: String

        public init(sessionId: String, deviceName: String) {
            self.sessionId = sessionId
            self.deviceName = deviceName
        }
    }

    /// A responder's "I'm on it".
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

    /// One delivery: its recipient, time and channel.
    public struct LedgerEntry: Codable, Equatable, Sendable {
        public var recipientId: String
        public var name: String
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var time: Date
        public var attempts: Int
        /// The reason for this state, as a class such as `http-401`; nil if there was no problem.
        public var reason: String?
        /// The time when a device confirmed the message.
        public var receivedTime: Date?
        /// The time when the delivery reached this state; nil if it did so at once.
        public var changedTime: Date?
        /// The time of the next attempt, which may be the first one.
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
