import Domain
import Foundation

public struct AlertRow: Sendable, Equatable {
    public var id: AlertID
    public var userID: UserID
    public var kind: AlertKind
    /// When the owner raised the alert, or the deadline monitor opened it.
    public var startedAt: Date
    public var receivedAt: Date
    /// The missed deadline; for a journey, the expected return.
    public var deadlineAt: Date?
    /// The journey's name.
    public var journey: String?
    /// The responders who are notified; nil for all.
    public var onlyFor: [UserID]?
    public var toldLate: Bool
    public var endedAt: Date?
    /// The time that the schedule of repeats starts from.
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
    /// The time of the next decision about calls.
    public var nextCallAt: Date?
    /// When a full refusal last alerted everyone again. During a report's pause: when it was last
    /// told to the owner.
    public var refusedAt: Date?
    /// The device that ended the alert; nil while the alert is open, or if the device is unknown.
    public var ending: AlertRecord.Ending?

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

    /// The escalation's state. A report pauses the repeats, with or without an acknowledgement.
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

    /// Removes the acknowledgement and the report, so that the repeats continue. Alarms that the
    /// pause skipped don't follow.
    /// - Parameter nextCallAt: the time of the next decision about calls.
    public mutating func release(at now: Date, nextCallAt: Date?) {
        repeats = escalation.pastAlarms(at: now)
        self.nextCallAt = nextCallAt
        acknowledgedBy = nil
        acknowledgedAt = nil
        endReport()
    }

    /// Removes this person's acknowledgement and report. Those of another person stay.
    public mutating func endAttention(of person: UserID) {
        if acknowledgedBy == person { (acknowledgedBy, acknowledgedAt, askedAt) = (nil, nil, nil) }
        if reportedBy == person { endReport() }
    }

    /// Removes the report. An acknowledgement stays.
    public mutating func endReport() {
        forgetRefusalsOfPause()
        (report, reportedBy, reportedAt) = (nil, nil, nil)
        // The report paused the time to confirm the acknowledgement, so the server asks again.
        askedAt = nil
    }

    /// Forgets that all refused during the report's pause: the responders weren't alerted again
    /// then, so it must not delay the alarm of the next full refusal.
    public mutating func forgetRefusalsOfPause() {
        if let reportedAt, let refusedAt, refusedAt > reportedAt { self.refusedAt = nil }
    }

    /// Lets the pauses of an acknowledgement and of a report end at this time, if they would last
    /// longer: after a restore, either may have been taken back since the backup. Records show the
    /// times of the acts instead.
    public mutating func endPauses(by time: Date) {
        acknowledgedAt = acknowledgedAt.map {
            min($0, time.adding(.zero - Escalation.quietAfterAcknowledgement))
        }
        reportedAt = reportedAt.map { min($0, time.adding(.zero - Escalation.pauseAfterReport)) }
        // The answer to an earlier question may be lost, too.
        askedAt = nil
    }

    /// Returns those of the owner's responders who are notified of this alert.
    public func audience(among responders: [Recipient]) -> [Recipient] {
        responders.filter { concerns($0.id) }
    }

    /// Returns false for a responder who wasn't chosen for this alert.
    public func concerns(_ responder: UserID) -> Bool { onlyFor?.contains(responder) ?? true }

    /// When the next call is due; nil if a responder is on it or has reported, and after the end.
    public var callDue: Date? {
        isOpen && escalation.attention == .none ? nextCallAt : nil
    }

    /// The time when `DeadlineMonitor` has to handle this alert again.
    public var nextDue: Date? { isOpen ? escalation.nextDue : nil }

    static let columns = """
        id, user_id, kind, started_at, received_at, deadline_at, told_late, repeats, \
        escalation_from, owner_told, without_sms, report, reported_by, reported_at, ended_at, \
        acknowledged_by, acknowledged_at, asked_at, next_call_at, refused_at, ended_by_session, \
        ended_on_device, only_for, journey
        """

    /// Reads an unknown kind, written by a newer server, as a manual alert.
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
        refusedAt = try row["refused_at"]
        journey = try row["journey"]
        onlyFor = [UserID](columnText: try row["only_for"])
        if let session: SessionID = try row["ended_by_session"] {
            ending = .init(
                sessionId: session.description, deviceName: try row["ended_on_device"] ?? "")
        }
    }
}
