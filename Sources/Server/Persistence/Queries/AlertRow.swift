import Domain
import Foundation

/// A row of `alerts`.
public struct AlertRow: Sendable, Equatable {
    public var id: AlertID
    public var userID: UserID
    public var kind: AlertKind
    /// When the person raised it, or when the watch opened it.
    public var startedAt: Date
    /// When the server learned of it.
    public var receivedAt: Date
    public var deadlineAt: Date?
    public var toldLate: Bool
    public var endedAt: Date?
    /// Repeats are counted from this time.
    public var escalationFrom: Date
    public var repeats: Int
    public var isOwnerNotified = false
    public var withoutSMS = false
    public var acknowledgedBy: UserID?
    public var acknowledgedAt: Date?
    public var askedAt: Date?
    public var report: AlertReport?
    public var reportedBy: UserID?
    public var reportedAt: Date?

    public init(
        id: AlertID, userID: UserID, kind: AlertKind, startedAt: Date, receivedAt: Date? = nil,
        deadlineAt: Date?, toldLate: Bool, repeats: Int
    ) {
        self.id = id
        self.userID = userID
        self.kind = kind
        self.startedAt = startedAt
        self.receivedAt = receivedAt ?? startedAt
        self.deadlineAt = deadlineAt
        self.toldLate = toldLate
        self.escalationFrom = receivedAt ?? startedAt
        self.repeats = repeats
    }

    public var isOpen: Bool { endedAt == nil }

    /// A report pauses the repeats, whoever has acknowledged.
    public var escalation: Escalation {
        get {
            let attention: Escalation.Attention =
                if let reportedAt {
                    .reported(at: reportedAt)
                } else if let askedAt {
                    .asked(at: askedAt)
                } else if let acknowledgedAt {
                    .acknowledged(at: acknowledgedAt)
                } else {
                    .none
                }
            return Escalation(startTime: escalationFrom, repeats: repeats, attention: attention)
        }
        set {
            escalationFrom = newValue.startTime
            repeats = newValue.repeats
        }
    }

    /// Nobody is on it any more, and no report holds: the repeats go on.
    public mutating func release(repeats: Int) {
        self.repeats = repeats
        acknowledgedBy = nil
        acknowledgedAt = nil
        askedAt = nil
        report = nil
        reportedBy = nil
        reportedAt = nil
    }

    /// When `DeadlineMonitor` has to handle this alert again.
    var nextDue: Date? { isOpen ? escalation.nextDue : nil }

    static let columns = """
        id, user_id, kind, started_at, deadline_at, told_late, ended_at, repeats, acknowledged_by, \
        acknowledged_at,
        asked_at, received_at, escalation_from, owner_told, without_sms, report, reported_by, \
        reported_at
        """

    /// A kind that this version does not know, as after going back to it, is told like a call for
    /// help.
    init(_ row: any SQLRow) {
        self.init(
            id: row.id(0), userID: row.id(1), kind: AlertKind(rawValue: row.text(2)) ?? .manual,
            startedAt: row.date(3), receivedAt: row.date(11),
            deadlineAt: row.optionalDate(4), toldLate: row.bool(5), repeats: Int(row.integer(7))
        )
        escalationFrom = row.date(12)
        isOwnerNotified = row.bool(13)
        withoutSMS = row.bool(14)
        report = row.isNull(15) ? nil : AlertReport(rawValue: row.text(15))
        reportedBy = row.optionalID(16)
        reportedAt = row.optionalDate(17)
        endedAt = row.optionalDate(6)
        acknowledgedBy = row.optionalID(8)
        acknowledgedAt = row.optionalDate(9)
        askedAt = row.optionalDate(10)
    }
}
