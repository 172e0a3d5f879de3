import Domain
import Foundation

/// A row of `alerts`.
public struct AlertRow: Sendable, Equatable {
    public var id: AlertID
    public var userID: UserID
    public var kind: AlertKind
    /// The time when the person raised it, or when the deadline monitor opened it.
    public var startedAt: Date
    /// The time when the server learned of it.
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
    /// The time to decide about the next calls, while nobody is on it.
    public var nextCallAt: Date?

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

    /// No call is made once somebody is on it, or it is over.
    public var callDue: Date? {
        isOpen && escalation.attention == .none ? nextCallAt : nil
    }

    /// The time when `DeadlineMonitor` has to handle this alert again.
    var nextDue: Date? { isOpen ? escalation.nextDue : nil }

    static let columns = """
        id, user_id, kind, started_at, received_at, deadline_at, told_late, repeats, \
        escalation_from, owner_told, without_sms, report, reported_by, reported_at, ended_at, \
        acknowledged_by, acknowledged_at, asked_at, next_call_at
        """

    /// A kind that this version does not know, as after a downgrade, counts as a call for help.
    init(_ row: SQLRow) throws {
        self.init(
            id: try row["id"], userID: try row["user_id"],
            kind: AlertKind(rawValue: try row["kind"]) ?? .manual,
            startedAt: try row["started_at"], receivedAt: try row["received_at"],
            deadlineAt: try row["deadline_at"], toldLate: try row["told_late"],
            repeats: try row["repeats"])
        escalationFrom = try row["escalation_from"]
        isOwnerNotified = try row["owner_told"]
        withoutSMS = try row["without_sms"]
        report = (try row["report"] as String?).flatMap { AlertReport(rawValue: $0) }
        reportedBy = try row["reported_by"]
        reportedAt = try row["reported_at"]
        endedAt = try row["ended_at"]
        acknowledgedBy = try row["acknowledged_by"]
        acknowledgedAt = try row["acknowledged_at"]
        askedAt = try row["asked_at"]
        nextCallAt = try row["next_call_at"]
    }
}
