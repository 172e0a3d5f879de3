extension Migration {
    /// Appends new notifications and deliveries to their SQLite tables. Rows in the order of their
    /// keys would lie on as many pages as there are recipients, and fill the inner pages of the
    /// tree. PostgreSQL appends rows anyway. No row refers to these tables, so that foreign keys
    /// stay on.
    static let appendedRows = Migration(
        version: 33, statements: [], first: [.sqlite: appendedNotifications + appendedDeliveries],
        oldestProgram: 32)

    private static let appendedNotifications: [String] =
        [newNotifications]
        + moves(
            from: "notifications",
            """
            user_id, id, type, title, body, created_at, read_at, about_user_id, alert_id, ping_id,
            urgent, session_id
            """, indexes: ["by_time", "by_age", "read", "about", "news"])
        + notificationIndexes

    private static let newNotifications = """
        CREATE TABLE new_notifications (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL,
            type TEXT NOT NULL,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            read_at BIGINT,
            about_user_id BYTEA,
            alert_id BYTEA,
            ping_id BYTEA,
            urgent SMALLINT NOT NULL DEFAULT 0,
            session_id BYTEA,
            PRIMARY KEY (user_id, id)
        )
        """

    /// The indexes of a table in key order end with its key. Those that are read in that order, or
    /// searched by it, now name these columns.
    private static let notificationIndexes = [
        "CREATE INDEX notifications_by_time ON notifications (user_id, created_at, id)",
        "CREATE INDEX notifications_by_age ON notifications (created_at)",
        "CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL",
        """
        CREATE INDEX notifications_about ON notifications (about_user_id, user_id)
        WHERE about_user_id IS NOT NULL
        """,
        """
        CREATE INDEX notifications_news ON notifications (user_id, about_user_id, created_at)
        WHERE alert_id IS NULL
        """,
    ]

    private static let appendedDeliveries: [String] =
        [newDeliveries]
        + moves(
            from: "deliveries",
            """
            user_id, id, notification_id, channel, device_id, recipient_name, alert_user_id,
            alert_id, purpose, priority, state, reason, superseded, attempts, next_try_at,
            useful_until, created_at, updated_at, provider_id, received_at
            """, indexes: ["due", "by_endpoint", "by_notification", "by_alert", "by_age"])
        + deliveryIndexes

    private static let newDeliveries = """
        CREATE TABLE new_deliveries (
            user_id BYTEA NOT NULL,
            id BYTEA NOT NULL,
            notification_id BYTEA NOT NULL,
            channel TEXT NOT NULL,
            device_id BYTEA,
            recipient_name TEXT NOT NULL,
            alert_user_id BYTEA,
            alert_id BYTEA,
            purpose TEXT NOT NULL,
            priority SMALLINT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT,
            superseded SMALLINT NOT NULL DEFAULT 0 CHECK (superseded IN (0, 1)),
            attempts BIGINT NOT NULL,
            next_try_at BIGINT,
            useful_until BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            provider_id TEXT,
            received_at BIGINT,
            PRIMARY KEY (user_id, id)
        )
        """

    private static let deliveryIndexes = [
        """
        CREATE INDEX deliveries_due ON deliveries (channel, priority, next_try_at, user_id, id)
        WHERE next_try_at IS NOT NULL
        """,
        """
        CREATE INDEX deliveries_by_endpoint
        ON deliveries (user_id, channel, device_id, priority, next_try_at, id)
        WHERE next_try_at IS NOT NULL
        """,
        // A notification's id begins with its time, so that new entries are neighbours.
        "CREATE INDEX deliveries_by_notification ON deliveries (notification_id, user_id)",
        """
        CREATE INDEX deliveries_by_alert ON deliveries (alert_user_id, alert_id, user_id)
        WHERE alert_id IS NOT NULL
        """,
        "CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE alert_id IS NULL",
    ]

    /// Moves all rows to the new table, which takes the name of the old one. A statement moves the
    /// people of four first bytes: SQLite keeps the pages that one statement overwrites in memory,
    /// and DROP TABLE would overwrite all pages that have rows.
    private static func moves(
        from table: String, _ columns: String, indexes: [String]
    ) -> [String] {
        let drops: [String] = indexes.map { "DROP INDEX \(table)_\($0)" }
        let parts: [String] = stride(from: 4, through: 256, by: 4).flatMap { end -> [String] in
            let byte = (end < 16 ? "0" : "") + String(end, radix: 16)
            let people = end < 256 ? "WHERE user_id < x'\(byte)'" : ""
            return [
                "INSERT INTO new_\(table) (\(columns)) SELECT \(columns) FROM \(table) \(people)",
                "DELETE FROM \(table) \(people)",
            ]
        }
        return drops + parts
            + ["DROP TABLE \(table)", "ALTER TABLE new_\(table) RENAME TO \(table)"]
    }
}
