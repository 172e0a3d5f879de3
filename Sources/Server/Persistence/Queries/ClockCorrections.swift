import Domain
import Foundation

extension Transaction {
    /// Corrects the moments that the deadline monitor does not correct itself and that a time in
    /// the future would hold up.
    public func correctMoments(by correction: ClockCorrection) throws {
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
            """
            UPDATE deliveries SET next_try_at = $1
            WHERE next_try_at IS NOT NULL AND next_try_at > $2
            """,
            [.date(now), .date(now.adding(longestPause))])
        // Those that the wrong time has put off for less, by a pause that counts from then.
        try execute(
            """
            UPDATE deliveries SET next_try_at = next_try_at + $1
            WHERE next_try_at IS NOT NULL AND next_try_at > $2 AND updated_at > $2
            """,
            [.integer(correction.by.milliseconds), .date(now)])
        try execute(
            """
            UPDATE pings SET created_at = $1, expires_at = $2
            WHERE state = 'pending' AND expires_at > $2
            """,
            [.date(now), .date(now.adding(PingRules.lifetime))])
        try execute(
            """
            UPDATE drills SET next_due_at = $1 WHERE next_due_at IS NOT NULL AND next_due_at > $2
            """,
            [.date(now), .date(now.adding(DrillRules.length))])
        // They would count against their number for as long as they lie in the future.
        try execute("DELETE FROM sign_in_codes WHERE created_at > $1", [.date(now)])
        try execute(
            """
            UPDATE deliveries SET next_try_at = $1
            WHERE next_try_at IS NOT NULL AND next_try_at > $2
                AND reason = '\(DeliveryReason.waitingForAnswer)'
            """, [.date(now), .date(now.adding(Ladder.smsAfter))])
        wakeDelivery()
        wakeDeadlineMonitor(at: now)
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
