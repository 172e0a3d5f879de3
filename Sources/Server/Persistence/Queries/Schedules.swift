import Domain
import Foundation

let scheduleColumns =
    """
    plan, interval_seconds, remind_two_hours, remind_thirty_minutes, last_check_in_at, \
    reminders_sent, missed_told, start_from, start_deadline_at, paused_at, paused_until, \
    last_call
    """

/// The deadline of a schedule that has one, as SQL.
let deadlineSQL = "COALESCE(own_deadline_at, last_check_in_at + interval_seconds * 1000)"

extension CheckInPlan {
    /// The text for the column `plan`; nil for an interval without sleep hours.
    fileprivate var columnText: String? {
        get throws {
            self == .interval
                ? nil : String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }

    fileprivate init(columnText text: String?) {
        guard let text else {
            self = .interval
            return
        }
        // A plan of a newer server must not stop the deadlines of all people in its batch. The
        // interval then counts, so that the person isn't without a deadline.
        self = (try? JSONDecoder().decode(CheckInPlan.self, from: Data(text.utf8))) ?? .interval
    }
}

extension CheckInSchedule {
    init(_ row: SQLRow) throws {
        self.init(
            settings: CheckInSettings(
                plan: CheckInPlan(columnText: try row["plan"]),
                intervalSeconds: try row["interval_seconds"],
                remindTwoHoursBefore: try row["remind_two_hours"],
                remindThirtyMinutesBefore: try row["remind_thirty_minutes"],
                lastCall: LastCall(flags: (try row["last_call"] as Int?) ?? 0)),
            lastCheckIn: try row["last_check_in_at"],
            remindersSent: SentReminders(rawValue: try row["reminders_sent"]),
            hasOpenedAlert: try row["missed_told"],
            start: try Self.both(row, "start_from", "start_deadline_at", FirstDeadline.init),
            pause: try Self.both(row, "paused_at", "paused_until", CheckInPause.init))
    }

    private static func both<Value>(
        _ row: SQLRow, _ first: String, _ second: String, _ make: (Date, Date) -> Value
    ) throws -> Value? {
        let (first, second): (Date?, Date?) = (try row[first], try row[second])
        return first.flatMap { first in second.map { make(first, $0) } }
    }

    /// The deadline, if it isn't the last check-in plus the interval.
    fileprivate var ownDeadline: Date? {
        deadline == lastCheckIn?.adding(settings.interval) ? nil : deadline
    }
}

extension SQLConnection {
    public func schedule(of user: UserID) throws -> CheckInSchedule? {
        try first(
            "SELECT \(scheduleColumns) FROM schedules WHERE user_id = $1", [.id(user)],
            CheckInSchedule.init)
    }

    /// Returns the users with a due alarm (a missed deadline) or a due reminder, the most overdue
    /// first. Uses the stored `next_is_alarm`, which may be stale.
    public func dueUsers(isAlarm: Bool, at now: Date, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM schedules WHERE next_due_at IS NOT NULL AND next_due_at <= $1
                AND next_is_alarm = \(isAlarm ? 1 : 0)
            ORDER BY next_due_at LIMIT $2
            """, [.date(now), .int(limit)])
    }

    public func countDueSchedules(at now: Date, limit: Int) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM (SELECT 1 FROM schedules WHERE next_due_at IS NOT NULL
                AND next_due_at <= $1 LIMIT $2) AS due
            """,
            [.date(now), .int(limit)]
        )
    }

    /// Counts schedules with an upcoming deadline or reminder. Slow: reads the whole index.
    public func countArmedSchedules() throws -> Int {
        try count("SELECT COUNT(*) FROM schedules WHERE next_due_at IS NOT NULL", [])
    }

    public func hasPeople() throws -> Bool { try hasRow("SELECT 1 FROM users LIMIT 1", []) }

    /// Counts people, including guests. Slow: reads a whole index.
    public func countPeople() throws -> Int { try count("SELECT COUNT(*) FROM users", []) }

    /// Returns the time when the deadline monitor next has something to do.
    /// - Parameter calls: false for a server that can't make calls.
    public func nextDue(calls: Bool = true) throws -> Date? {
        var statements = [
            "SELECT MIN(next_due_at) FROM schedules WHERE next_due_at IS NOT NULL",
            "SELECT MIN(next_due_at) FROM alerts WHERE next_due_at IS NOT NULL",
            "SELECT MIN(expires_at) FROM pings WHERE state = 'pending'",
            "SELECT MIN(next_due_at) FROM drills WHERE next_due_at IS NOT NULL",
            "SELECT MIN(next_due_at) FROM journeys WHERE next_due_at IS NOT NULL",
        ]
        if calls {
            statements.append(
                "SELECT MIN(next_call_at) FROM alerts WHERE next_call_at IS NOT NULL")
        }
        return try statements.compactMap { try value($0, []) as Date? }.min()
    }
}

extension Transaction {
    /// - Parameter heardAt: when a check-in was received; nil without a check-in.
    public func save(_ schedule: CheckInSchedule, of user: UserID, heardAt: Date? = nil) throws {
        let nextDue = schedule.nextDue(at: now)
        try send(
            """
            UPDATE schedules SET interval_seconds = $1, remind_two_hours = $2,
                remind_thirty_minutes = $3, last_check_in_at = $4, reminders_sent = $5,
                missed_told = $6, next_due_at = $7, heard_at = COALESCE($8, heard_at),
                next_is_alarm = $9, plan = $10, own_deadline_at = $11, start_from = $12,
                start_deadline_at = $13, paused_at = $14, paused_until = $15,
                last_call = $16
            WHERE user_id = $17
            """,
            [
                .int(schedule.settings.intervalSeconds),
                .bool(schedule.settings.remindTwoHoursBefore),
                .bool(schedule.settings.remindThirtyMinutesBefore), .date(schedule.lastCheckIn),
                .int(schedule.remindersSent.rawValue), .bool(schedule.hasOpenedAlert),
                .date(nextDue), .date(heardAt), .bool(schedule.isAlarmNext(at: now)),
                try schedule.settings.plan.columnText.map { .text($0) } ?? .null,
                .date(schedule.ownDeadline), .date(schedule.start?.from),
                .date(schedule.start?.deadline), .date(schedule.pause?.began),
                .date(schedule.pause?.until),
                schedule.settings.lastCall == .standard
                    ? .null : .int(schedule.settings.lastCall.flags), .id(user),
            ]
        )
        wakeDeadlineMonitor(at: nextDue)
    }

    /// Saves the changes that the deadline monitor makes. Settings and check-ins stay unchanged.
    public func saveHandled(_ schedules: [(user: UserID, schedule: CheckInSchedule)]) throws {
        let alike = Dictionary(grouping: schedules) { HandledValues($0.schedule, at: now) }
        for (values, people) in alike {
            try execute(
                about: people.map(\.user),
                {
                    """
                    UPDATE schedules SET reminders_sent = $1, missed_told = $2, next_due_at = $3,
                        next_is_alarm = $4
                    WHERE user_id \($0)
                    """
                },
                [
                    .int(values.remindersSent), .bool(values.hasOpenedAlert),
                    .date(values.nextDue), .bool(values.isAlarmNext),
                ])
            wakeDeadlineMonitor(at: values.nextDue)
        }
    }

    public func postponeSchedule(of user: UserID, until time: Date) throws {
        try execute(
            "UPDATE schedules SET next_due_at = $1 WHERE user_id = $2", [.date(time), .id(user)])
    }
}

/// The values of a schedule that the deadline monitor changes.
private struct HandledValues: Hashable {
    let remindersSent: Int
    let hasOpenedAlert: Bool
    let nextDue: Date?
    let isAlarmNext: Bool

    init(_ schedule: CheckInSchedule, at now: Date) {
        remindersSent = schedule.remindersSent.rawValue
        hasOpenedAlert = schedule.hasOpenedAlert
        nextDue = schedule.nextDue(at: now)
        isAlarmNext = schedule.isAlarmNext(at: now)
    }
}
