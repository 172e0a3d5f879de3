import Domain
import Foundation

let scheduleColumns =
    """
    interval_seconds, remind_two_hours, remind_thirty_minutes, last_check_in_at, reminders_sent, \
    missed_told
    """

extension CheckInSchedule {
    init(_ row: SQLRow) throws {
        self.init(
            settings: CheckInSettings(
                intervalSeconds: try row["interval_seconds"],
                remindTwoHoursBefore: try row["remind_two_hours"],
                remindThirtyMinutesBefore: try row["remind_thirty_minutes"]),
            lastCheckIn: try row["last_check_in_at"],
            remindersSent: SentReminders(rawValue: try row["reminders_sent"]),
            hasOpenedAlert: try row["missed_told"])
    }
}

extension SQLConnection {
    public func schedule(of user: UserID) throws -> CheckInSchedule? {
        try first(
            "SELECT \(scheduleColumns) FROM schedules WHERE user_id = $1", [.id(user)],
            CheckInSchedule.init)
    }

    /// The users whose schedules are due by now, the most overdue first.
    public func dueUsers(at now: Date, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM schedules WHERE next_due_at IS NOT NULL AND next_due_at <= $1
            ORDER BY next_due_at LIMIT $2
            """, [.date(now), .int(limit)])
    }

    /// How many users are past their time, for the operator's metrics; counts up to `limit`.
    public func countDueSchedules(at now: Date, limit: Int) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM (SELECT 1 FROM schedules WHERE next_due_at IS NOT NULL
                AND next_due_at <= $1 LIMIT $2) AS due
            """,
            [.date(now), .int(limit)]
        )
    }

    /// The earliest moment at which the deadline monitor has anything to do.
    /// - Parameter calls: false for a server that can't call anybody.
    public func nextDue(calls: Bool = true) throws -> Date? {
        var statements = [
            "SELECT MIN(next_due_at) FROM schedules WHERE next_due_at IS NOT NULL",
            "SELECT MIN(next_due_at) FROM alerts WHERE next_due_at IS NOT NULL",
            "SELECT MIN(expires_at) FROM pings WHERE state = 'pending'",
            "SELECT MIN(next_due_at) FROM drills WHERE next_due_at IS NOT NULL",
        ]
        if calls {
            statements.append(
                "SELECT MIN(next_call_at) FROM alerts WHERE next_call_at IS NOT NULL")
        }
        return try statements.compactMap { try value($0, []) as Date? }.min()
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

    /// Saves schedules that the deadline monitor has handled: it changes neither their settings nor
    /// their check-ins.
    public func saveHandled(_ schedules: [(user: UserID, schedule: CheckInSchedule)]) throws {
        let alike = Dictionary(grouping: schedules) { HandledValues($0.schedule) }
        for (values, people) in alike {
            try execute(
                about: people.map(\.user),
                {
                    """
                    UPDATE schedules SET reminders_sent = $1, missed_told = $2, next_due_at = $3
                    WHERE user_id \($0)
                    """
                },
                [
                    .int(values.remindersSent), .bool(values.hasOpenedAlert),
                    .date(values.nextDue),
                ])
            wakeDeadlineMonitor(at: values.nextDue)
        }
    }

    public func postponeSchedule(of user: UserID, until time: Date) throws {
        try execute(
            "UPDATE schedules SET next_due_at = $1 WHERE user_id = $2", [.date(time), .id(user)])
    }
}

/// The values of a schedule that change by time alone.
private struct HandledValues: Hashable {
    let remindersSent: Int
    let hasOpenedAlert: Bool
    let nextDue: Date?

    init(_ schedule: CheckInSchedule) {
        remindersSent = schedule.remindersSent.rawValue
        hasOpenedAlert = schedule.hasOpenedAlert
        nextDue = schedule.nextDue
    }
}
