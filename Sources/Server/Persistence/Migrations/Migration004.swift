import Domain
import Foundation

extension Migration {
    /// Consent of responders, unlimited repeats of alerts, reasons in the ledger, and receipt
    /// times.
    ///
    /// Rebuilds tables to drop a CHECK on states or channels. Further states then need no rebuild.
    static let fourth = Migration(
        version: 4,
        statements: schedules + checkIns + alerts + contacts + pings + deliveries + signIn
            + leaving + memory,
        finish: rearmSilentAlerts
    )

    private static let schedules = [
        // The receipt of the last check-in. `last_check_in_at` is the time when it happened.
        "ALTER TABLE schedules ADD COLUMN heard_at BIGINT",
        // When the person was asked after a restore, before their responders are told.
        "ALTER TABLE schedules ADD COLUMN asked_at BIGINT",
        "UPDATE schedules SET heard_at = last_check_in_at",
    ]

    private static let checkIns = [
        "CREATE INDEX check_ins_by_time ON check_ins (user_id, occurred_at, id)"
    ]

    private static let alerts = [
        // Copied without its foreign key, because dropping `alerts` would delete its rows.
        "CREATE TABLE old_acknowledgements AS SELECT * FROM acknowledgements",
        "DROP TABLE acknowledgements",
        """
        CREATE TABLE new_alerts (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            kind TEXT NOT NULL,
            started_at BIGINT NOT NULL,
            received_at BIGINT NOT NULL,
            deadline_at BIGINT,
            told_late SMALLINT NOT NULL CHECK (told_late IN (0, 1)),
            ended_at BIGINT,
            escalation_from BIGINT NOT NULL,
            repeats BIGINT NOT NULL,
            owner_told SMALLINT NOT NULL CHECK (owner_told IN (0, 1)),
            without_sms SMALLINT NOT NULL CHECK (without_sms IN (0, 1)),
            acknowledged_by BYTEA,
            acknowledged_at BIGINT,
            asked_at BIGINT,
            report TEXT,
            reported_by BYTEA,
            reported_at BIGINT,
            next_due_at BIGINT,
            PRIMARY KEY (user_id, id)
        ) /* clustered */
        """,
        """
        INSERT INTO new_alerts (user_id, id, kind, started_at, received_at, deadline_at, told_late,
            ended_at, escalation_from, repeats, owner_told, without_sms, acknowledged_by,
            acknowledged_at, asked_at, next_due_at)
        SELECT user_id, id, kind, started_at, started_at, deadline_at, told_late, ended_at,
            started_at, told, 0, 0, acknowledged_by, acknowledged_at, asked_at, next_due_at
        FROM alerts
        """,
        "DROP TABLE alerts",
        "ALTER TABLE new_alerts RENAME TO alerts",
        "CREATE UNIQUE INDEX alerts_open ON alerts (user_id, kind) WHERE ended_at IS NULL",
        "CREATE INDEX alerts_by_id ON alerts (id)",
        "CREATE INDEX alerts_by_time ON alerts (user_id, started_at, id)",
        "CREATE INDEX alerts_by_receipt ON alerts (user_id, received_at)",
        "CREATE INDEX alerts_due ON alerts (next_due_at) WHERE next_due_at IS NOT NULL",
        "CREATE INDEX alerts_ended ON alerts (ended_at) WHERE ended_at IS NOT NULL",

        // Responders' answers to an alert. `name` keeps the history readable after a responder
        // left.
        """
        CREATE TABLE alert_actions (
            user_id BYTEA NOT NULL,
            alert_id BYTEA NOT NULL,
            happened_at BIGINT NOT NULL,
            responder_id BYTEA NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (user_id, alert_id, happened_at, responder_id, kind),
            FOREIGN KEY (user_id, alert_id) REFERENCES alerts (user_id, id) ON DELETE CASCADE
        ) /* clustered */
        """,
        "CREATE INDEX alert_actions_by_responder ON alert_actions (responder_id)",
        """
        INSERT INTO alert_actions (user_id, alert_id, happened_at, responder_id, kind, name)
        SELECT user_id, alert_id, happened_at, responder_id, 'acknowledged', name
        FROM old_acknowledgements
        """,
        "DROP TABLE old_acknowledgements",
    ]

    private static let contacts = [
        // `low_is_responder`: the person with the lower id is the other's responder. `low_request`
        // is 'owner' if the protected person asked, and 'responder' if the future responder asked.
        """
        CREATE TABLE new_contacts (
            low_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            high_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            low_is_responder SMALLINT NOT NULL CHECK (low_is_responder IN (0, 1)),
            high_is_responder SMALLINT NOT NULL CHECK (high_is_responder IN (0, 1)),
            low_responder_since BIGINT,
            high_responder_since BIGINT,
            low_request TEXT,
            high_request TEXT,
            low_requested_at BIGINT,
            high_requested_at BIGINT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (low_id, high_id),
            CHECK (low_id < high_id),
            CHECK (low_is_responder = 0 OR low_request IS NULL),
            CHECK (high_is_responder = 0 OR high_request IS NULL),
            CHECK (low_is_responder + high_is_responder > 0
                OR low_request IS NOT NULL OR high_request IS NOT NULL)
        ) /* clustered */
        """,
        """
        INSERT INTO new_contacts (low_id, high_id, low_is_responder, high_is_responder,
            low_responder_since, high_responder_since, created_at)
        SELECT low_id, high_id, low_is_responder, high_is_responder,
            CASE WHEN low_is_responder = 1 THEN created_at END,
            CASE WHEN high_is_responder = 1 THEN created_at END, created_at
        FROM contacts
        """,
        "DROP TABLE contacts",
        "ALTER TABLE new_contacts RENAME TO contacts",
        "CREATE INDEX contacts_by_high ON contacts (high_id, low_id)",

        // `phone_hash` recognises a blocked person who signs up with the same number.
        """
        CREATE TABLE blocks (
            blocker_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            blocked_id BYTEA NOT NULL,
            phone_hash BYTEA NOT NULL CHECK (length(phone_hash) = 32),
            name TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (blocker_id, blocked_id)
        ) /* clustered */
        """,
        "CREATE INDEX blocks_by_number ON blocks (blocker_id, phone_hash)",
    ]

    private static let pings = [
        """
        CREATE TABLE new_pings (
            responder_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            dependent_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            state TEXT NOT NULL,
            settled_at BIGINT,
            PRIMARY KEY (responder_id, id),
            CHECK ((state = 'pending') = (settled_at IS NULL))
        ) /* clustered */
        """,
        """
        INSERT INTO new_pings (responder_id, id, dependent_id, created_at, expires_at, state,
            settled_at)
        SELECT responder_id, id, dependent_id, created_at, expires_at, state, settled_at FROM pings
        """,
        "DROP TABLE pings",
        "ALTER TABLE new_pings RENAME TO pings",
        """
        CREATE UNIQUE INDEX pings_pending ON pings (responder_id, dependent_id)
        WHERE state = 'pending'
        """,
        "CREATE INDEX pings_by_dependent ON pings (dependent_id, created_at, id)",
        "CREATE INDEX pings_due ON pings (expires_at) WHERE state = 'pending'",
    ]

    /// Schedules the next repeat of open alerts without one. Spreads these repeats over 24 hours.
    /// Alerts older than a week repeat without SMS.
    private static func rearmSilentAlerts(_ connection: any SQLConnection) throws {
        let now = connection.now
        let silent = try connection.query(
            """
            SELECT user_id, id FROM alerts WHERE ended_at IS NULL AND next_due_at IS NULL
            ORDER BY id
            """, []
        ) { (user: try $0["user_id"] as UUID, id: try $0["id"] as UUID) }
        for (index, alert) in silent.enumerated() {
            let delay = Duration.days(1).milliseconds * Int64(index) / Int64(silent.count)
            try connection.execute(
                "UPDATE alerts SET next_due_at = $1 WHERE user_id = $2 AND id = $3",
                [.date(now.adding(.milliseconds(delay))), .uuid(alert.user), .uuid(alert.id)])
        }
        try connection.execute(
            "UPDATE alerts SET without_sms = 1 WHERE ended_at IS NULL AND started_at <= $1",
            [.date(now.adding(.zero - .days(7)))])
    }
}
