import Foundation

public enum AlertKind: String, GrowingEnum, Sendable, CaseIterable {
    /// An alert of an unknown kind must not look less urgent, so it gets the most urgent kind.
    public static let fallback = manual

    /// Raised by the user.
    case manual
    /// Opened by the server when a deadline passed.
    case missedCheckIn
    /// Opened by the server when a journey's owner wasn't back in time.
    case journey
}

/// An alert as its owner and their responders see it.
public struct AlertRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var startTime: Date
    public var endTime: Date?
    public var userId: String
    public var isActive: Bool

    public var kind: AlertKind
    /// The deadline that passed, for a missed check-in; the expected return, for a journey.
    public var deadline: Date?
    /// The journey's name, for a journey.
    public var journey: String?
    /// The journey's note. nil in lists, without a note, and 24 hours after the journey's end.
    public var note: String?
    /// True if a server outage delayed the notifications. Messages then mention the delay.
    public var toldLate: Bool
    /// When the server received the alert; nil if it arrived within a minute of its start.
    public var receivedTime: Date?
    public var acknowledgement: Acknowledgement?
    /// The report that currently pauses the repeats.
    public var report: AlertAction?
    /// The last refusal of each responder who isn't coming. Only in the owner's view of an open
    /// alert that no responder is on; otherwise nil.
    public var refusals: [AlertAction]?
    /// True if everyone who can be reached has refused; otherwise nil. Older servers tell only the
    /// owner.
    public var isRefusedByAll: Bool?
    /// True if every message of an alarm to the accepted responders has failed, except to those who
    /// have refused; otherwise nil. Only in the owner's view of an open alert. Older servers don't
    /// send it.
    public var isUnheard: Bool?
    /// The device that ended the alert. nil while the alert is open, and for readers other than the
    /// owner.
    public var ending: Ending?
    /// The responders' actions, oldest first. Empty in lists.
    @GrowingList public var history: [AlertAction]
    /// The names of the people who were notified, except the reader. Empty in lists, and for the
    /// owner, who sees the names in `ledger`.
    @GrowingList public var othersTold: [String]
    /// The deliveries of the alert's messages. The owner sees all, a responder only their own.
    /// Empty in lists.
    @GrowingList public var ledger: [LedgerEntry]

    public init(
        id: String, startTime: Date, endTime: Date?, userId: String, isActive: Bool,
        kind: AlertKind,
        deadline: Date? = nil, journey: String? = nil, toldLate: Bool = false,
        receivedTime: Date? = nil,
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
        self.journey = journey
        self.toldLate = toldLate
        self.receivedTime = receivedTime
        self.acknowledgement = acknowledgement
        self.report = report
        self.history = history
        self.othersTold = othersTold
        self.ledger = ledger
    }

    /// How the shown acknowledgement ended before the alert did; nil for an open alert, and if the
    /// acknowledgement lasted until the alert's end.
    public var acknowledgementEnd: Acknowledgement.End? {
        guard !isActive, let acknowledgement else { return nil }
        // The history says it for answers of older servers, once the details are loaded.
        return acknowledgement.end
            ?? Acknowledgement.End(of: acknowledgement.responderId, in: history)
    }

    /// True if everyone is alerted again once the report is lifted.
    public var liftingAlertsEveryone: Bool {
        AlertRules.liftingAlertsEveryone(
            by: report?.responderId, whileHelpedBy: acknowledgement?.responderId)
    }

    /// Returns true if declining is the user's last action since the last missed deadline, and
    /// since a report was lifted. Refusals from before either don't count. Lists lack the history.
    public func isDeclined(by user: UserID) -> Bool {
        guard let last = history.last(where: { UserID($0.responderId) == user }),
            last.kind == .declined,
            !history.contains(where: { $0.kind == .resumed && $0.time > last.time })
        else { return false }
        guard kind == .missedCheckIn, let deadline else { return true }
        return last.time >= deadline
    }

    /// When the current report's pause ends; nil without a report.
    public var pausedUntil: Date? {
        isActive ? report?.time.adding(Escalation.pauseAfterReport) : nil
    }

    /// The record for lists and events: without history, names and ledger.
    public var withoutDetails: AlertRecord {
        var record = self
        record.note = nil
        record.history = []
        record.othersTold = []
        record.ledger = []
        return record
    }

    /// Returns this record, with the details of `known` if its own are missing.
    public func keepingDetails(of known: AlertRecord) -> AlertRecord {
        guard known.id == id, history.isEmpty, othersTold.isEmpty, ledger.isEmpty else {
            return self
        }
        var record = self
        record.note = known.note
        record.history = known.history
        record.othersTold = known.othersTold
        record.ledger = known.ledger
        return record
    }

    /// The session that ended the alert. It belongs to the owner's account, but another person may
    /// have used the device.
    public struct Ending: Codable, Equatable, Sendable {
        public var sessionId: String
        /// The name that the app or browser reported at sign-in.
        public var deviceName: String

        public init(sessionId: String, deviceName: String) {
            self.sessionId = sessionId
            self.deviceName = deviceName
        }
    }

    public struct Acknowledgement: Codable, Equatable, Sendable {
        public var responderId: String
        public var name: String
        public var time: Date
        /// Seconds between the start of the alert and the acknowledgement.
        public var afterSeconds: Double
        /// How the acknowledgement ended before the alert did. nil while it is in force, if it
        /// lasted until the alert's end, and from older servers.
        public var end: End?

        public enum End: String, GrowingEnum, Sendable, CaseIterable {
            public static let fallback = released

            case withdrew
            /// The responder stopped being one. Only the person in need sees it; others see
            /// `withdrew`.
            case lostRole
            /// The responder didn't confirm in time.
            case lapsed
            /// It ended with the responder's report, which the person in need or another responder
            /// lifted.
            case released
        }

        public init(responderId: String, name: String, time: Date, afterSeconds: Double) {
            self.responderId = responderId
            self.name = name
            self.time = time
            self.afterSeconds = afterSeconds
        }
    }

    public struct LedgerEntry: Codable, Equatable, Sendable {
        public var recipientId: String
        public var name: String
        public var channel: DeliveryChannel
        public var state: DeliveryState
        public var time: Date
        public var attempts: Int
        /// The reason for this state, such as `http-401`; nil without a problem.
        public var reason: String?
        /// When a device received the message. For an SMS or e-mail that is acknowledged: when it
        /// was reported as arrived. For a call that is acknowledged: when it was picked up.
        public var receivedTime: Date?
        /// When the delivery reached this state; nil if at once. Of an acknowledged one, when it
        /// was sent or shown.
        public var changedTime: Date?
        /// When a message that is seen was sent or shown. Nil for others. Older servers leave it
        /// out for messages in the app.
        public var sentTime: Date?
        /// When the person opened it before the answer; nil for others, and from older servers.
        public var openedTime: Date?
        /// When the next attempt is due, which may be the first one.
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

extension AlertRecord.Acknowledgement.End {
    /// Returns how the responder's last acknowledgement ended by the responder's own acts; nil if
    /// none ended it.
    public init?(of responder: String, in history: [AlertAction]) {
        let acts: [AlertAction.Kind] = [.acknowledged, .confirmed, .withdrew, .lapsed]
        let last = history.last { $0.responderId == responder && acts.contains($0.kind) }
        switch last?.kind {
        case .withdrew: self = last?.isLossOfRole == true ? .lostRole : .withdrew
        case .lapsed: self = .lapsed
        default: return nil
        }
    }
}
