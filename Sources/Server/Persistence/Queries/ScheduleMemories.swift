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

extension SQLConnection {
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
    /// period. Must run before the server answers requests; may take a second or two.
    public func grantGrace(after outage: Outage) throws {
        try execute(
            """
            UPDATE schedules SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND next_due_at <= $2 AND missed_told = 0
                AND last_check_in_at + interval_seconds * 1000 BETWEEN $3 AND $2
            """,
            [.date(outage.graceEnd), .date(outage.to), .date(outage.from)])
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
                AND last_check_in_at + interval_seconds * 1000 <= $2
            """, [.date(time), .date(time.adding(CheckInSchedule.alarmLead))])
    }
}
