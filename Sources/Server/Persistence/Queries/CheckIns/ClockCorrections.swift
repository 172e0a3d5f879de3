import Domain
import Foundation

extension Transaction {
    /// Corrects stored times after the clock was corrected, because times in the future cause
    /// delays. `ClockCorrections` corrects schedules and alerts. Not idempotent if the clock was
    /// behind.
    public func correctMoments(by correction: ClockCorrection) throws {
        if correction.by < .zero {
            try boundMoments(by: correction)
        } else {
            try forwardMoments(by: correction)
        }
    }

    /// No delivery waits longer for its next attempt.
    private static let longestRetryDelay: Duration = .minutes(20)

    /// A statement about times that a wrong clock wrote.
    private struct MomentChange {
        var sql: String
        /// How long after its writing each of the statement's times lies.
        var delays: [Duration]

        init(_ sql: String, _ delays: Duration...) {
            self.sql = sql
            self.delays = delays
        }
    }

    // MARK: A clock that was behind

    /// `$1` is the correction. For each delay, two more values are the begin and the end of the
    /// times that the wrong clock wrote.
    private static let forwardChanges = [
        MomentChange(
            """
            UPDATE deliveries SET useful_until = useful_until + $1
            WHERE next_try_at IS NOT NULL AND created_at BETWEEN $2 AND $3
            """, .zero),
        MomentChange(
            """
            UPDATE pings SET created_at = created_at + $1, expires_at = expires_at + $1
            WHERE state = 'pending' AND created_at BETWEEN $2 AND $3
            """, .zero),
        // A person must be able to stop the change for the whole wait.
        MomentChange(
            """
            UPDATE number_moves SET due_at = due_at + $1
            WHERE due_at BETWEEN $2 AND $3 OR due_at BETWEEN $4 AND $5
            """, NumberMove.delay, SignInLockRules.wait),
        MomentChange(
            "UPDATE sign_in_waits SET ends_at = ends_at + $1 WHERE ends_at BETWEEN $2 AND $3",
            SignInLockRules.wait),
        MomentChange(
            "UPDATE sign_in_locks SET ends_at = ends_at + $1 WHERE ends_at BETWEEN $2 AND $3",
            SignInLockRules.wait),
        MomentChange(
            """
            UPDATE sign_in_waits SET stopped_at = stopped_at + $1
            WHERE stopped_at BETWEEN $2 AND $3
            """, .zero),
        MomentChange(
            """
            UPDATE sign_in_locks SET codes_made_at = codes_made_at + $1
            WHERE codes_made_at BETWEEN $2 AND $3
            """, .zero),
    ]

    /// Moves times forward that were written while the clock was behind. They would come too early.
    /// Not idempotent.
    private func forwardMoments(by correction: ClockCorrection) throws {
        for change in Self.forwardChanges {
            try execute(
                change.sql,
                [.integer(correction.by.milliseconds)]
                    + change.delays.flatMap { delay -> [SQLValue] in
                        [
                            .date(correction.since.adding(delay)),
                            .date(correction.until.adding(delay)),
                        ]
                    })
        }
    }

    // MARK: A clock that was ahead

    /// The values are the times that lie these delays after now.
    private static let boundChanges = [
        MomentChange(
            """
            UPDATE pings SET created_at = $1, expires_at = $2
            WHERE state = 'pending' AND expires_at > $2
            """, .zero, PingRules.lifetime),
        MomentChange(
            """
            UPDATE drills SET next_due_at = $1 WHERE next_due_at IS NOT NULL AND next_due_at > $2
            """, .zero, DrillRules.length),
        MomentChange(
            "UPDATE sign_in_waits SET ends_at = $1 WHERE ends_at > $1", SignInLockRules.wait),
        MomentChange(
            "UPDATE sign_in_locks SET ends_at = $1 WHERE ends_at > $1", SignInLockRules.wait),
        MomentChange("UPDATE sign_in_waits SET stopped_at = $1 WHERE stopped_at > $1", .zero),
        MomentChange(
            "UPDATE sign_in_locks SET codes_made_at = $1 WHERE codes_made_at > $1", .zero),
        MomentChange(
            "UPDATE firestore_changes SET next_try_at = $1 WHERE next_try_at > $2",
            .zero, CopyChange.longestRetryDelay),
        // Codes from the future would count against their number's rate limit for too long.
        MomentChange("DELETE FROM sign_in_codes WHERE created_at > $1", .zero),
        MomentChange(
            """
            UPDATE deliveries SET next_try_at = $1
            WHERE next_try_at IS NOT NULL AND next_try_at > $2
                AND reason IN ('\(DeliveryReason.waitingForAnswer)',
                    '\(DeliveryReason.waitingForReceipt)')
            """, .zero, Ladder.smsAfter),
    ]

    /// Bounds times in the future, which a clock that was ahead wrote.
    private func boundMoments(by correction: ClockCorrection) throws {
        try bound(
            MomentChange(
                """
                UPDATE deliveries SET next_try_at = $1
                WHERE next_try_at IS NOT NULL AND next_try_at > $2
                """, .zero, Self.longestRetryDelay))
        // A shorter delay of these deliveries was counted from the wrong time.
        try execute(
            """
            UPDATE deliveries SET next_try_at = next_try_at + $1
            WHERE next_try_at IS NOT NULL AND next_try_at > $2 AND updated_at > $2
            """,
            [.integer(correction.by.milliseconds), .date(now)])
        try boundNumberMoves()
        for change in Self.boundChanges { try bound(change) }
        wakeDelivery()
        wakeDeadlineMonitor(at: now)
    }

    private func bound(_ change: MomentChange) throws {
        try execute(change.sql, change.delays.map { .date(now.adding($0)) })
    }

    /// Shortens waits that are longer than any that begins now. With the sign-in lock, a change
    /// keeps the longer wait of the person's own changes, also if an administrator began it.
    private func boundNumberMoves() throws {
        let people: [UserID] = try values(
            "SELECT user_id FROM number_moves WHERE due_at > $1",
            [.date(now.adding(NumberMove.delay))])
        for user in people {
            let wait = try hasSignInLock(user) ? SignInLockRules.wait : NumberMove.delay
            try execute(
                "UPDATE number_moves SET due_at = $1 WHERE user_id = $2 AND due_at > $1",
                [.date(now.adding(wait)), .id(user)])
        }
    }

    /// Corrects when people answered an alert, if the clock was ahead. Idempotent. The answers keep
    /// their order, and each gets a time of its own, as the table's key demands. An answer whose
    /// wrong time has passed isn't corrected, so the later ones stay after it.
    public func correctActions(of alert: AlertRow, by correction: ClockCorrection) throws {
        let answers = try query(
            """
            SELECT responder_id, kind, happened_at FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND happened_at > $3
            ORDER BY happened_at DESC, responder_id DESC, kind DESC
            """, [.id(alert.userID), .id(alert.id), .date(now)]
        ) { try FutureAnswer($0, to: alert) }
        guard !answers.isEmpty else { return }
        let newestPast: Date? = try value(
            """
            SELECT MAX(happened_at) FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND happened_at <= $3
            """, [.id(alert.userID), .id(alert.id), .date(now)])
        var latest = now
        for (index, answer) in answers.enumerated() {
            var corrected = answer
            corrected.time = answer.time.adding(correction.by)
            if let newestPast {
                // Leaves a millisecond for each earlier answer.
                let first = newestPast.adding(.milliseconds(answers.count - index))
                corrected.time = max(corrected.time, first)
            }
            corrected.time = min(corrected.time, latest)
            while try hasAction(like: corrected) {
                corrected.time = corrected.time.adding(.milliseconds(-1))
            }
            try execute(
                """
                UPDATE alert_actions SET happened_at = $1
                WHERE user_id = $2 AND alert_id = $3 AND responder_id = $4 AND kind = $5
                    AND happened_at = $6
                """, [.date(corrected.time)] + answer.values)
            latest = corrected.time.adding(.milliseconds(-1))
        }
        noteCopyChange(of: alert.userID)
    }

    private func hasAction(like answer: FutureAnswer) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND kind = $4
                AND happened_at = $5
            """, answer.values)
    }

    /// Writes the start and the receipt of an alert, which `update` doesn't change.
    public func saveStart(of alert: AlertRow) throws {
        try execute(
            "UPDATE alerts SET started_at = $1, received_at = $2 WHERE user_id = $3 AND id = $4",
            [.date(alert.startedAt), .date(alert.receivedAt), .id(alert.userID), .id(alert.id)])
        noteCopyChange(of: alert.userID)
    }

    /// Moves forward what people did about an alert while the clock was behind. Not idempotent.
    public func forwardActions(of alert: AlertRow, by correction: ClockCorrection) throws {
        try execute(
            """
            UPDATE alert_actions SET happened_at = happened_at + $1
            WHERE user_id = $2 AND alert_id = $3 AND happened_at BETWEEN $4 AND $5
            """,
            [
                .integer(correction.by.milliseconds), .id(alert.userID), .id(alert.id),
                .date(correction.since), .date(correction.until),
            ])
    }
}

/// An answer to an alert whose time lies in the future.
private struct FutureAnswer {
    let alert: AlertRow
    let responder: UserID
    let kind: String
    var time: Date

    init(_ row: SQLRow, to alert: AlertRow) throws {
        self.alert = alert
        responder = try row["responder_id"]
        kind = try row["kind"]
        time = try row["happened_at"]
    }

    /// The row's key.
    var values: [SQLValue] {
        [.id(alert.userID), .id(alert.id), .id(responder), .text(kind), .date(time)]
    }
}

extension SQLConnection {
    /// Returns the people who changed their schedule or ended a pause in this period.
    public func peopleWithFirstDeadline(from begin: Date, to end: Date) throws -> [UserID] {
        try values(
            "SELECT user_id FROM schedules WHERE start_from BETWEEN $1 AND $2 ORDER BY user_id",
            [.date(begin), .date(end)])
    }

    /// Returns the people with alerts that ended in this period.
    public func peopleWithEndedAlerts(from begin: Date, to end: Date) throws -> [UserID] {
        try values(
            """
            SELECT DISTINCT user_id FROM alerts WHERE ended_at BETWEEN $1 AND $2 ORDER BY user_id
            """, [.date(begin), .date(end)])
    }

    public func endedAlerts(
        of user: UserID, from begin: Date, to end: Date
    ) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND ended_at BETWEEN $2 AND $3 ORDER BY started_at, id
            """,
            [.id(user), .date(begin), .date(end)], AlertRow.init)
    }

    /// Returns a page of all open alerts, in the order of the users' ids.
    public func openAlerts(after user: UserID?, limit: Int) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts WHERE ended_at IS NULL AND user_id > $1
            ORDER BY user_id LIMIT $2
            """,
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)], AlertRow.init)
    }
}
