import Domain
import Foundation

extension SQLConnection {
    public func alert(_ id: AlertID, of user: UserID) throws -> AlertRow? {
        try first(
            "SELECT \(AlertRow.columns) FROM alerts WHERE user_id = $1 AND id = $2",
            [.id(user), .id(id)], AlertRow.init)
    }

    /// Returns true if any user has an alert with this id.
    public func hasAlert(_ id: AlertID) throws -> Bool {
        try hasRow("SELECT 1 FROM alert_ids WHERE id = $1 LIMIT 1", [.id(id)])
    }

    public func openAlert(_ kind: AlertKind, of user: UserID) throws -> AlertRow? {
        try first(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND kind = $2 AND ended_at IS NULL
            """,
            [.id(user), .text(kind.rawValue)], AlertRow.init
        )
    }

    /// Returns the person's journey alerts that began after `time`, also ended ones.
    public func journeyAlerts(of user: UserID, since time: Date) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND kind = 'journey' AND started_at > $2 ORDER BY started_at
            """, [.id(user), .date(time)], AlertRow.init)
    }

    public func openAlerts(
        _ kind: AlertKind, of users: [UserID]
    ) throws -> [UserID: AlertRow] {
        let alerts = try query(
            about: users,
            {
                """
                SELECT \(AlertRow.columns) FROM alerts
                WHERE kind = $1 AND ended_at IS NULL AND user_id \($0)
                """
            }, [.text(kind.rawValue)], AlertRow.init)
        return Dictionary(alerts.map { ($0.userID, $0) }) { first, _ in first }
    }

    public func dueAlerts(at now: Date, limit: Int) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE next_due_at IS NOT NULL AND next_due_at <= $1 ORDER BY next_due_at LIMIT $2
            """,
            [.date(now), .int(limit)], AlertRow.init
        )
    }

    /// Returns the alert; nil if it isn't due.
    public func dueAlert(_ id: AlertID, of user: UserID, at now: Date) throws -> AlertRow? {
        try first(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND id = $2 AND next_due_at IS NOT NULL AND next_due_at <= $3
            """, [.id(user), .id(id), .date(now)], AlertRow.init)
    }

    /// Returns the people who have an alert with this id. There may be several, because clients
    /// make these ids.
    public func owners(ofAlert id: AlertID) throws -> [UserID] {
        try values("SELECT user_id FROM alert_ids WHERE id = $1 ORDER BY user_id", [.id(id)])
    }
}

extension Transaction {
    public func insert(_ alert: AlertRow) throws { try insert([alert]) }

    public func insert(_ alerts: [AlertRow]) throws {
        try insert(
            into: "alert_ids", ["id", "user_id"], alerts.map { [.id($0.id), .id($0.userID)] })
        try insert(
            into: "alerts",
            [
                "user_id", "id", "kind", "started_at", "received_at", "deadline_at", "told_late",
                "escalation_from", "repeats", "owner_told", "without_sms", "next_due_at",
                "next_call_at", "only_for", "journey",
            ],
            try alerts.map { alert in
                [
                    .id(alert.userID), .id(alert.id), .text(alert.kind.rawValue),
                    .date(alert.startedAt),
                    .date(alert.receivedAt), .date(alert.deadlineAt), .bool(alert.toldLate),
                    .date(alert.escalationFrom), .int(alert.repeats),
                    .bool(alert.isOwnerNotified),
                    .bool(alert.withoutSMS), .date(alert.nextDue), .date(alert.callDue),
                    try alert.onlyFor.map { .text(try $0.columnText) } ?? .null,
                    alert.journey.map { .text($0) } ?? .null,
                ]
            })
        for alert in alerts {
            noteCopyChange(of: alert.userID)
            wakeDeadlineMonitor(at: alert.nextDue)
            wakeDeadlineMonitor(at: alert.callDue)
        }
    }

    public func update(_ alert: AlertRow) throws {
        try execute(
            """
            UPDATE alerts SET ended_at = $1, repeats = $2, acknowledged_by = $3,
            acknowledged_at = $4,
                asked_at = $5, escalation_from = $6, owner_told = $7, deadline_at = $8,
                told_late = $9,
                report = $10, reported_by = $11, reported_at = $12, without_sms = $13,
                next_due_at = $14, next_call_at = $15, refused_at = $16,
                ended_by_session = $17, ended_on_device = $18, only_for = $19
            WHERE user_id = $20 AND id = $21
            """,
            [
                .date(alert.endedAt), .int(alert.repeats), .id(alert.acknowledgedBy),
                .date(alert.acknowledgedAt), .date(alert.askedAt), .date(alert.escalationFrom),
                .bool(alert.isOwnerNotified), .date(alert.deadlineAt), .bool(alert.toldLate),
                alert.report.map { .text($0.rawValue) } ?? .null, .id(alert.reportedBy),
                .date(alert.reportedAt),
                .bool(alert.withoutSMS), .date(alert.nextDue), .date(alert.callDue),
                .date(alert.refusedAt), .id(alert.ending.flatMap { SessionID($0.sessionId) }),
                alert.ending.map { .text($0.deviceName) } ?? .null,
                try alert.onlyFor.map { .text(try $0.columnText) } ?? .null, .id(alert.userID),
                .id(alert.id),
            ]
        )
        // The copy has of an open alert only its start.
        if !alert.isOpen { noteCopyChange(of: alert.userID) }
        wakeDeadlineMonitor(at: alert.nextDue)
        wakeDeadlineMonitor(at: alert.callDue)
    }
}

extension SQLConnection {
    /// Returns everyone who is notified of this alert.
    public func audience(of alert: AlertRow) throws -> [Recipient] {
        alert.audience(among: try responders(of: alert.userID))
    }

    public func openAlerts(of user: UserID) throws -> [AlertRow] {
        try query(
            "SELECT \(AlertRow.columns) FROM alerts WHERE user_id = $1 AND ended_at IS NULL",
            [.id(user)], AlertRow.init)
    }

    /// Returns true if an alert about a missed check-in of the user ended at this time.
    public func endedMissedAlert(of user: UserID, at time: Date) throws -> Bool {
        try count(
            """
            SELECT COUNT(*) FROM alerts
            WHERE user_id = $1 AND kind = 'missedCheckIn' AND ended_at = $2
            """, [.id(user), .date(time)]) > 0
    }

    /// Returns when the monitor will handle the alert. It may have postponed it.
    public func nextDue(ofAlert alert: AlertRow) throws -> Date? {
        try value(
            "SELECT next_due_at FROM alerts WHERE user_id = $1 AND id = $2",
            [.id(alert.userID), .id(alert.id)])
    }
}

extension Transaction {
    /// Postpones an alert that can't be handled now, so that it doesn't block others.
    public func postponeAlert(_ alert: AlertRow, until time: Date) throws {
        try execute(
            "UPDATE alerts SET next_due_at = $1 WHERE user_id = $2 AND id = $3",
            [.date(time), .id(alert.userID), .id(alert.id)]
        )
    }

    /// Delays what is due earlier about this alert: its next repeat or question, the next call, and
    /// the unsent messages. Leased messages stay due at the end of their lease.
    public func hold(_ alert: AlertRow, until time: Date) throws {
        let key: [SQLValue] = [.id(alert.userID), .id(alert.id)]
        for column in ["next_due_at", "next_call_at"] {
            try execute(
                """
                UPDATE alerts SET \(column) = $1
                WHERE user_id = $2 AND id = $3 AND \(column) < $1
                """, [.date(time)] + key)
        }
        for list in try possibleRecipients(of: alert.userID).lists(from: 4) {
            try execute(
                """
                UPDATE deliveries SET next_try_at = $1
                WHERE alert_user_id = $2 AND alert_id = $3 AND user_id IN (\(list.sql))
                    AND state IN ('queued', 'retrying') AND next_try_at < $1
                """, [.date(time)] + key + list.values)
        }
        wakeDeadlineMonitor(at: time)
        wakeDelivery()
    }
}
