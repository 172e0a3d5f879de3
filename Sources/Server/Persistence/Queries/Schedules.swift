import Domain
import Foundation

let scheduleColumns =
    """
    interval_seconds, remind_two_hours, remind_thirty_minutes, last_check_in_at, reminders_sent, \
    missed_told
    """

extension CheckInSchedule {
    /// Reads `scheduleColumns` from `first` on.
    init(_ row: any SQLRow, from first: Int = 0) {
        self.init(
            settings: CheckInSettings(
                intervalSeconds: Int(row.integer(first)),
                remindTwoHoursBefore: row.bool(first + 1),
                remindThirtyMinutesBefore: row.bool(first + 2)
            ),
            lastCheckIn: row.optionalDate(first + 3),
            remindersSent: SentReminders(rawValue: Int(row.integer(first + 4))),
            hasOpenedAlert: row.bool(first + 5)
        )
    }
}

extension SQLConnection {
    public func schedule(of user: UserID) throws -> CheckInSchedule? {
        try first("SELECT \(scheduleColumns) FROM schedules WHERE user_id = $1", [.id(user)]) {
            CheckInSchedule($0)
        }
    }

    /// The users whom the clock concerns by now, the most overdue first.
    public func dueSchedules(at now: Date, limit: Int) throws -> [(
        user: UserID, schedule: CheckInSchedule
    )] {
        try query(
            """
            SELECT \(scheduleColumns), user_id FROM schedules
            WHERE next_due_at IS NOT NULL AND next_due_at <= $1 ORDER BY next_due_at LIMIT $2
            """,
            [.date(now), .int(limit)]
        ) { (user: $0.id(6), schedule: CheckInSchedule($0)) }
    }

    /// How many users are past their time, for the operator's figures; counts up to `limit`.
    public func countDueSchedules(at now: Date, limit: Int) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM (SELECT 1 FROM schedules WHERE next_due_at IS NOT NULL
                AND next_due_at <= $1 LIMIT $2) AS due
            """,
            [.date(now), .int(limit)]
        )
    }

    /// The earliest moment at which the watch has anything to do.
    public func nextDue() throws -> Date? {
        let moments = try [
            "SELECT MIN(next_due_at) FROM schedules WHERE next_due_at IS NOT NULL",
            "SELECT MIN(next_due_at) FROM alerts WHERE next_due_at IS NOT NULL",
            "SELECT MIN(expires_at) FROM pings WHERE state = 'pending'",
        ].compactMap { statement in try first(statement, []) { $0.optionalDate(0) } ?? nil }
        return moments.min()
    }
}

extension Transaction {
    /// - Parameter heardAt: when a check-in was received; nil when this is none.
    public func save(_ schedule: CheckInSchedule, of user: UserID, heardAt: Date? = nil) throws {
        try execute(
            """
            UPDATE schedules SET interval_seconds = $1, remind_two_hours = $2,
            remind_thirty_minutes = $3,
                last_check_in_at = $4, reminders_sent = $5, missed_told = $6, next_due_at = $7,
                heard_at = COALESCE($8, heard_at)
            WHERE user_id = $9
            """,
            [
                .int(schedule.settings.intervalSeconds),
                .bool(schedule.settings.remindTwoHoursBefore),
                .bool(schedule.settings.remindThirtyMinutesBefore), .date(schedule.lastCheckIn),
                .int(schedule.remindersSent.rawValue), .bool(schedule.hasOpenedAlert),
                .date(schedule.nextDue),
                .date(heardAt), .id(user),
            ]
        )
        wakeDeadlineMonitor(at: schedule.nextDue)
    }

    public func postponeSchedule(of user: UserID, until time: Date) throws {
        try execute(
            "UPDATE schedules SET next_due_at = $1 WHERE user_id = $2", [.date(time), .id(user)])
    }
}
