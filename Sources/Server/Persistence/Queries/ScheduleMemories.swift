import Domain
import Foundation

private let memoryColumns = "\(scheduleColumns), heard_at, asked_at, next_due_at"

extension ScheduleMemory {
    fileprivate init(_ row: any SQLRow) {
        self.init(
            schedule: CheckInSchedule(row), heardAt: row.optionalDate(6),
            askedAt: row.optionalDate(7),
            nextDueAt: row.optionalDate(8))
    }
}

extension SQLConnection {
    public func scheduleMemory(of user: UserID) throws -> ScheduleMemory? {
        try first(
            "SELECT \(memoryColumns) FROM schedules WHERE user_id = $1", [.id(user)],
            ScheduleMemory.init)
    }

    /// Every schedule, a page at a time, in the order of the users' ids.
    public func scheduleMemories(after user: UserID?, limit: Int) throws -> [(
        user: UserID, memory: ScheduleMemory
    )] {
        try query(
            """
            SELECT \(memoryColumns), user_id FROM schedules WHERE user_id > $1 ORDER BY user_id LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)]
        ) { (user: $0.id(9), memory: ScheduleMemory($0)) }
    }
}

extension Transaction {
    /// A check-in came that moves nothing.
    public func noteHeard(_ user: UserID, at now: Date) throws {
        try execute(
            "UPDATE schedules SET heard_at = $1 WHERE user_id = $2", [.date(now), .id(user)])
    }

    /// The person is asked before anybody else is told; the watch comes back at `time`.
    public func noteAsked(_ user: UserID, at now: Date, lookAgainAt time: Date) throws {
        try execute(
            "UPDATE schedules SET asked_at = $1, next_due_at = $2 WHERE user_id = $3",
            [.date(now), .date(time), .id(user)])
        wakeWatch(at: time)
    }

    public func save(_ memory: ScheduleMemory, of user: UserID) throws {
        try save(memory.schedule, of: user)
        try execute(
            "UPDATE schedules SET heard_at = $1, asked_at = $2, next_due_at = $3 WHERE user_id = $4",
            [.date(memory.heardAt), .date(memory.askedAt), .date(memory.nextDueAt), .id(user)])
        wakeWatch(at: memory.nextDueAt)
    }

    /// Deadlines that passed while no server ran are handled when the grace ends. Before a server
    /// answers anybody: it may take a second or two.
    public func grantGrace(after outage: Outage) throws {
        try execute(
            """
            UPDATE schedules SET next_due_at = $1
            WHERE next_due_at IS NOT NULL AND next_due_at <= $2 AND missed_told = 0
                AND last_check_in_at + interval_seconds * 1000 BETWEEN $3 AND $2
            """,
            [.date(outage.graceEnd), .date(outage.to), .date(outage.from)])
        wakeWatch(at: outage.graceEnd)
    }
}

// MARK: A clock that was wrong

extension Transaction {
    /// What the watch looks at is corrected by the watch; this is everything else that a time in the
    /// future would hold up.
    public func correctMoments(by correction: ClockCorrection, at now: Date) throws {
        guard correction.by < .zero else {
            // Made by a time that was behind, it would seem too old to be worth sending.
            try execute(
                """
                UPDATE deliveries SET useful_until = useful_until + $1
                WHERE next_try_at IS NOT NULL AND created_at BETWEEN $2 AND $3
                """,
                [
                    .integer(correction.by.milliseconds), .date(correction.since),
                    .date(correction.until),
                ])
            return
        }
        // No rule lets a delivery wait for longer.
        let longestPause: Duration = .minutes(20)
        try execute(
            "UPDATE deliveries SET next_try_at = $1 WHERE next_try_at IS NOT NULL AND next_try_at > $2",
            [.date(now), .date(now.adding(longestPause))])
        try execute(
            "UPDATE pings SET created_at = $1, expires_at = $2 WHERE state = 'pending' AND expires_at > $2",
            [.date(now), .date(now.adding(PingRules.lifetime))])
        // They would count against their number for as long as they lie in the future.
        try execute("DELETE FROM sign_in_codes WHERE created_at > $1", [.date(now)])
        wakeDelivery()
        wakeWatch(at: now)
    }

    /// Writes the moments of an open alert that `update` leaves alone.
    public func saveStart(of alert: AlertRow) throws {
        try execute(
            "UPDATE alerts SET started_at = $1, received_at = $2 WHERE user_id = $3 AND id = $4",
            [.date(alert.startedAt), .date(alert.receivedAt), .id(alert.userID), .id(alert.id)])
    }
}

extension SQLConnection {
    /// Every open alert, a page at a time, in the order of the users' ids.
    public func openAlerts(after user: UserID?, limit: Int) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts WHERE ended_at IS NULL AND user_id > $1
            ORDER BY user_id LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)], AlertRow.init)
    }
}
