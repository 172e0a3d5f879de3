import Domain
import Foundation

private let memoryColumns = "\(scheduleColumns), heard_at, asked_at, next_due_at"

extension ScheduleMemory {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            schedule: try CheckInSchedule(row), heardAt: try row["heard_at"],
            askedAt: try row["asked_at"], nextDueAt: try row["next_due_at"])
    }
}

/// What a check-in depends on, read by one statement.
public struct CheckInState: Sendable {
    public let memory: ScheduleMemory
    /// Whether the check-in is stored already.
    public let isKnown: Bool
    /// Whether the person has an open alert about a missed deadline.
    public let hasMissedAlert: Bool
    public let hasResponders: Bool
    /// Whether a ping to the person is pending. It may have expired.
    public let hasPings: Bool
}

extension CheckInState {
    /// The columns of a state, in a query of `schedules` about a check-in.
    /// - Parameters:
    ///   - person: names the person's id.
    ///   - isKnown: whether the check-in is stored already.
    fileprivate static func columns(of person: String, isKnown: String) -> String {
        """
        \(memoryColumns), \(isKnown) AS is_known,
        EXISTS (SELECT 1 FROM alerts WHERE user_id = \(person) AND kind = 'missedCheckIn'
            AND ended_at IS NULL) AS has_missed_alert,
        EXISTS (SELECT 1 FROM contacts WHERE user_id = \(person) AND responder_in_force = 1)
            AS has_responders,
        EXISTS (SELECT 1 FROM pings WHERE user_id = \(person) AND dependent_id = \(person)
            AND state = 'pending') AS has_pings
        """
    }

    fileprivate static let one = """
        SELECT \(columns(
            of: "$1",
            isKnown: "EXISTS (SELECT 1 FROM check_ins WHERE user_id = $1 AND id = $2)"))
        FROM schedules WHERE user_id = $1
        """

    fileprivate init(_ row: SQLRow, isKnown: Bool) throws {
        self.init(
            memory: try ScheduleMemory(row), isKnown: isKnown,
            hasMissedAlert: try row["has_missed_alert"],
            hasResponders: try row["has_responders"], hasPings: try row["has_pings"])
    }
}

extension SQLConnection {
    /// Returns what a check-in depends on; nil for an unknown user.
    public func checkInState(_ id: CheckInID, of user: UserID) throws -> CheckInState? {
        try first(CheckInState.one, [.id(user), .id(id)]) {
            try CheckInState($0, isKnown: $0["is_known"])
        }
    }

    /// Returns what check-ins of different people depend on, without unknown users.
    public func checkInStates(
        _ checkIns: [(user: UserID, id: CheckInID)]
    ) throws -> [UserID: CheckInState] {
        guard checkIns.count > 1 else {
            return try checkIns.reduce(into: [:]) {
                $0[$1.user] = try checkInState($1.id, of: $1.user)
            }
        }
        let keys = RowKeys(
            ["user_id": .bytea, "id": .bytea], checkIns.map { [.id($0.user), .id($0.id)] })
        let known = Set(
            try query(
                about: keys,
                {
                    """
                    SELECT check_ins.user_id FROM check_ins\($0.join)
                    WHERE check_ins.user_id = \($0["user_id"]) AND check_ins.id = \($0["id"])
                    """
                }
            ) { try $0.onlyValue() as UserID })
        let states = try query(
            about: checkIns.map(\.user),
            {
                """
                SELECT user_id, \(CheckInState.columns(of: "schedules.user_id", isKnown: "0"))
                FROM schedules WHERE user_id \($0)
                """
            }
        ) { row in
            let user: UserID = try row["user_id"]
            return (user, try CheckInState(row, isKnown: known.contains(user)))
        }
        return Dictionary(states, uniquingKeysWith: { $1 })
    }

    public func scheduleMemory(of user: UserID) throws -> ScheduleMemory? {
        try first(
            "SELECT \(memoryColumns) FROM schedules WHERE user_id = $1", [.id(user)],
            ScheduleMemory.init)
    }

    /// Returns these people's due schedules, the most overdue first.
    public func dueSchedules(
        of people: [UserID], at now: Date
    ) throws -> [(user: UserID, memory: ScheduleMemory)] {
        try query(
            about: people,
            {
                """
                SELECT user_id, \(memoryColumns) FROM schedules
                WHERE next_due_at IS NOT NULL AND next_due_at <= $1 AND user_id \($0)
                ORDER BY next_due_at, user_id
                """
            }, [.date(now)]
        ) { (user: try $0["user_id"], memory: try ScheduleMemory($0)) }
    }

    /// Returns a page of all schedules, in the order of the users' ids.
    public func scheduleMemories(after user: UserID?, limit: Int) throws -> [(
        user: UserID, memory: ScheduleMemory
    )] {
        try query(
            """
            SELECT user_id, \(memoryColumns) FROM schedules WHERE user_id > $1 ORDER BY user_id
            LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)]
        ) { (user: try $0["user_id"], memory: try ScheduleMemory($0)) }
    }
}

/// A schedule that isn't a plain interval, with the columns that were computed when it was saved.
public struct PlannedSchedule: Sendable {
    public let user: UserID
    /// By the present time zones.
    public let schedule: CheckInSchedule
    private let storedDeadline: Date?
    private let nextDueAt: Date?

    fileprivate init(_ row: SQLRow) throws {
        user = try row["user_id"]
        schedule = try CheckInSchedule(row).inPresentTimeZones
        storedDeadline = try row["stored_deadline"]
        nextDueAt = try row["next_due_at"]
    }

    /// True if the stored columns don't fit the plan: after an update of the time zones, or after
    /// an older server has stored a check-in or handled the schedule as an interval.
    public func isStale(at now: Date) -> Bool {
        guard let deadline = schedule.deadline else {
            // Without deadlines, only the reminders of a pause are due.
            return nextDueAt.map { due in schedule.pause.map { due > $0.until } ?? true } ?? false
        }
        if deadline != storedDeadline { return true }
        // A grace after an outage, or a question after a restore, postpones a passed deadline.
        let latest = max(deadline, now).adding(ScheduleMemory.longestPostponement)
        return !schedule.hasOpenedAlert && nextDueAt.map { $0 > latest } ?? false
    }

    fileprivate static let columns = """
        user_id, \(scheduleColumns), next_due_at, \(deadlineSQL) AS stored_deadline
        """
}

extension SQLConnection {
    public func plannedSchedules(after user: UserID?, limit: Int) throws -> [PlannedSchedule] {
        try query(
            """
            SELECT \(PlannedSchedule.columns) FROM schedules
            WHERE plan IS NOT NULL AND user_id > $1 ORDER BY user_id LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)], PlannedSchedule.init)
    }

    public func plannedSchedule(of user: UserID) throws -> PlannedSchedule? {
        try first(
            """
            SELECT \(PlannedSchedule.columns) FROM schedules
            WHERE user_id = $1 AND plan IS NOT NULL
            """,
            [.id(user)], PlannedSchedule.init)
    }
}

extension Transaction {
    /// Records a check-in that doesn't move the deadline.
    public func noteHeard(_ user: UserID) throws {
        try execute(
            "UPDATE schedules SET heard_at = $1 WHERE user_id = $2", [.date(now), .id(user)])
    }

    /// Records that the person was asked "are you fine?" before their responders are told. The
    /// schedule is due next at `time`.
    public func noteAsked(_ user: UserID, lookAgainAt time: Date) throws {
        try execute(
            """
            UPDATE schedules SET asked_at = $1, next_due_at = $2, next_is_alarm = 1
            WHERE user_id = $3
            """, [.date(now), .date(time), .id(user)])
        wakeDeadlineMonitor(at: time)
    }

    public func save(_ memory: ScheduleMemory, of user: UserID) throws {
        try save(memory.schedule, of: user)
        try execute(
            """
            UPDATE schedules SET heard_at = $1, asked_at = $2, next_due_at = $3 WHERE user_id = $4
            """,
            [.date(memory.heardAt), .date(memory.askedAt), .date(memory.nextDueAt), .id(user)])
        wakeDeadlineMonitor(at: memory.nextDueAt)
    }

    /// Postpones deadlines that passed during an outage of all servers to the end of the grace
    /// period, and alerts whose question after a restore ran out during it. Gives responders who
    /// were asked whether they are still on it their whole time again. Must run before the server
    /// answers requests; may take a second or two.
    public func grantGrace(after outage: Outage) throws {
        try execute(
            """
            UPDATE schedules SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND next_due_at <= $2 AND missed_told = 0
                AND (\(deadlineSQL) BETWEEN $3 AND $2
                    OR (asked_at BETWEEN $4 AND $5 AND \(deadlineSQL) <= asked_at))
            """,
            [
                .date(outage.graceEnd), .date(outage.to), .date(outage.from),
                .date(outage.from.adding(.zero - Restoration.patience)),
                .date(outage.to.adding(.zero - Restoration.patience)),
            ])
        try execute(
            """
            UPDATE journeys SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND next_due_at <= $2 AND deadline_at BETWEEN $3 AND $2
            """,
            [.date(outage.graceEnd), .date(outage.to), .date(outage.from)])
        // The question may not have been sent, and no server could receive the answer.
        try execute(
            """
            UPDATE alerts SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND report IS NULL AND asked_at BETWEEN $2 AND $3
            """,
            [
                .date(outage.to.adding(Escalation.patienceAfterQuestion)),
                .date(outage.silentSince.adding(.zero - Escalation.patienceAfterQuestion)),
                .date(outage.to),
            ])
        try putAlarmsFirst(dueBefore: outage.graceEnd)
        wakeDeadlineMonitor(at: outage.graceEnd)
    }

    /// Marks due reminders as alarms if their deadline is close. Reminders become late if they
    /// weren't handled for a while or the clock was changed.
    public func putAlarmsFirst(dueBefore time: Date) throws {
        try execute(
            """
            UPDATE schedules SET next_is_alarm = 1
            WHERE next_due_at IS NOT NULL AND next_due_at <= $1 AND next_is_alarm = 0
                AND \(deadlineSQL) <= $2
            """, [.date(time), .date(time.adding(CheckInSchedule.alarmLead))])
    }
}
