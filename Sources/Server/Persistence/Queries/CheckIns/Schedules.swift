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

extension CheckInSchedule {
    fileprivate static let savedColumns: KeyValuePairs<String, RowKeys.Kind> = [
        "interval_seconds": .bigint, "remind_two_hours": .bigint, "remind_thirty_minutes": .bigint,
        "last_check_in_at": .bigint, "reminders_sent": .bigint, "missed_told": .bigint,
        "next_due_at": .bigint, "heard_at": .bigint, "next_is_alarm": .bigint, "plan": .text,
        "own_deadline_at": .bigint, "start_from": .bigint, "start_deadline_at": .bigint,
        "paused_at": .bigint, "paused_until": .bigint, "last_call": .bigint, "user_id": .bytea,
    ]

    fileprivate static func update(_ new: RowKeyPlaces) -> String {
        let assignments = savedColumns.dropLast().map { name, _ in
            let isKept = name == "heard_at"
            return "\(name) = "
                + (isKept ? "COALESCE(\(new[name]), schedules.heard_at)" : new[name])
        }
        return """
            UPDATE schedules SET \(assignments.joined(separator: ", ")) \(new.from)
            WHERE schedules.user_id = \(new["user_id"])
            """
    }

    fileprivate static let updateOfOne = update(RowKeyPlaces(of: savedColumns))

    /// Returns the values of `savedColumns`.
    fileprivate func values(of user: UserID, heardAt: Date?, at now: Date) throws -> [SQLValue] {
        [
            .int(settings.intervalSeconds), .bool(settings.remindTwoHoursBefore),
            .bool(settings.remindThirtyMinutesBefore), .date(lastCheckIn),
            .int(remindersSent.rawValue), .bool(hasOpenedAlert), .date(nextDue(at: now)),
            .date(heardAt), .bool(isAlarmNext(at: now)),
            try settings.plan.columnText.map { .text($0) } ?? .null, .date(ownDeadline),
            .date(start?.from), .date(start?.deadline), .date(pause?.began), .date(pause?.until),
            settings.lastCall == .standard ? .null : .int(settings.lastCall.flags), .id(user),
        ]
    }
}

extension Transaction {
    /// - Parameter heardAt: when a check-in was received; nil without a check-in.
    public func save(_ schedule: CheckInSchedule, of user: UserID, heardAt: Date? = nil) throws {
        try send(
            CheckInSchedule.updateOfOne, schedule.values(of: user, heardAt: heardAt, at: now))
        wakeDeadlineMonitor(at: schedule.nextDue(at: now))
    }

    /// Saves schedules of different people.
    public func save(
        _ schedules: [(user: UserID, schedule: CheckInSchedule)], heardAt: Date
    ) throws {
        guard schedules.count > 1 else {
            for (user, schedule) in schedules {
                try save(schedule, of: user, heardAt: heardAt)
            }
            return
        }
        try update(
            about: RowKeys(
                CheckInSchedule.savedColumns,
                schedules.map { try $0.schedule.values(of: $0.user, heardAt: heardAt, at: now) }),
            CheckInSchedule.update)
        for (_, schedule) in schedules { wakeDeadlineMonitor(at: schedule.nextDue(at: now)) }
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
