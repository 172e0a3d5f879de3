extension Migration {
    /// The tables. Each row belongs to a user, and its key begins with the user's id. Times are
    /// milliseconds since 1970 UTC.
    static let first = Migration(
        version: 1,
        statements: [
            "CREATE TABLE schema_versions (version BIGINT NOT NULL PRIMARY KEY)",
            // One row, written to find out whether the disk accepts writes.
            "CREATE TABLE probes (id BIGINT NOT NULL PRIMARY KEY, data BYTEA NOT NULL)",

            """
            CREATE TABLE users (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                phone_number TEXT NOT NULL UNIQUE,
                name TEXT NOT NULL,
                emergency_note TEXT NOT NULL,
                picture_id BYTEA,
                muted TEXT NOT NULL,
                created_at BIGINT NOT NULL
            ) /* clustered */
            """,

            // Separate from `users`, because every check-in rewrites this row.
            """
            CREATE TABLE schedules (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                interval_seconds BIGINT NOT NULL CHECK (interval_seconds > 0),
                remind_two_hours SMALLINT NOT NULL CHECK (remind_two_hours IN (0, 1)),
                remind_thirty_minutes SMALLINT NOT NULL CHECK (remind_thirty_minutes IN (0, 1)),
                last_check_in_at BIGINT,
                reminders_sent BIGINT NOT NULL,
                missed_told SMALLINT NOT NULL CHECK (missed_told IN (0, 1)),
                next_due_at BIGINT
            ) /* clustered */
            """,
            "CREATE INDEX schedules_due ON schedules (next_due_at) WHERE next_due_at IS NOT NULL",

            // No index by time: it would make every check-in write another page to the log. A
            // user's history is sorted when it is viewed, which is rare.
            """
            CREATE TABLE check_ins (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                occurred_at BIGINT NOT NULL,
                received_at BIGINT NOT NULL,
                deadline_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,

            // One row per pair of contacts, with the lower id first.
            """
            CREATE TABLE contacts (
                low_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                high_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                low_is_responder SMALLINT NOT NULL CHECK (low_is_responder IN (0, 1)),
                high_is_responder SMALLINT NOT NULL CHECK (high_is_responder IN (0, 1)),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (low_id, high_id),
                CHECK (low_id < high_id),
                CHECK (low_is_responder + high_is_responder > 0)
            ) /* clustered */
            """,
            "CREATE INDEX contacts_by_high ON contacts (high_id, low_id)",

            """
            CREATE TABLE alerts (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                kind TEXT NOT NULL CHECK (kind IN ('manual', 'missedCheckIn')),
                started_at BIGINT NOT NULL,
                deadline_at BIGINT,
                told_late SMALLINT NOT NULL CHECK (told_late IN (0, 1)),
                ended_at BIGINT,
                told BIGINT NOT NULL,
                acknowledged_by BYTEA,
                acknowledged_at BIGINT,
                asked_at BIGINT,
                next_due_at BIGINT,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            "CREATE UNIQUE INDEX alerts_open ON alerts (user_id, kind) WHERE ended_at IS NULL",
            "CREATE INDEX alerts_by_id ON alerts (id)",
            "CREATE INDEX alerts_due ON alerts (next_due_at) WHERE next_due_at IS NOT NULL",

            """
            CREATE TABLE acknowledgements (
                user_id BYTEA NOT NULL,
                alert_id BYTEA NOT NULL,
                happened_at BIGINT NOT NULL,
                responder_id BYTEA NOT NULL,
                name TEXT NOT NULL,
                PRIMARY KEY (user_id, alert_id, happened_at, responder_id),
                FOREIGN KEY (user_id, alert_id) REFERENCES alerts (user_id, id) ON DELETE CASCADE
            ) /* clustered */
            """,

            """
            CREATE TABLE pings (
                responder_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                dependent_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('pending', 'answered', 'cleared', 'expired')),
                settled_at BIGINT,
                PRIMARY KEY (responder_id, id),
                CHECK ((state = 'pending') = (settled_at IS NULL))
            ) /* clustered */
            """,
            """
            CREATE UNIQUE INDEX pings_pending ON pings (responder_id, dependent_id)
            WHERE state = 'pending'
            """,
            "CREATE INDEX pings_by_dependent ON pings (dependent_id, created_at)",
            "CREATE INDEX pings_due ON pings (expires_at) WHERE state = 'pending'",

            """
            CREATE TABLE notifications (
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
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            "CREATE INDEX notifications_by_time ON notifications (user_id, created_at)",
            "CREATE INDEX notifications_by_age ON notifications (created_at)",

            // The ledger of all messages. `recipient_name` and `alert_*` keep it readable after a
            // contact was removed.
            """
            CREATE TABLE deliveries (
                user_id BYTEA NOT NULL,
                id BYTEA NOT NULL,
                notification_id BYTEA NOT NULL,
                channel TEXT NOT NULL CHECK (channel IN ('stream', 'console', 'webhook', 'sms')),
                device_id BYTEA,
                recipient_name TEXT NOT NULL,
                alert_user_id BYTEA,
                alert_id BYTEA,
                state TEXT NOT NULL
                    CHECK (state IN ('queued', 'attempted', 'accepted', 'seen', 'acknowledged',
                    'failed', 'givenUp')),
                attempts BIGINT NOT NULL,
                next_try_at BIGINT,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                provider_id TEXT,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            "CREATE INDEX deliveries_due ON deliveries (next_try_at) WHERE next_try_at IS NOT NULL",
            "CREATE INDEX deliveries_by_notification ON deliveries (user_id, notification_id)",
            """
            CREATE INDEX deliveries_by_alert ON deliveries (alert_user_id, alert_id)
            WHERE alert_id IS NOT NULL
            """,
            """
            CREATE INDEX deliveries_by_provider ON deliveries (provider_id)
            WHERE provider_id IS NOT NULL
            """,
            "CREATE INDEX deliveries_by_age ON deliveries (created_at)",

            """
            CREATE TABLE devices (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                session_id BYTEA NOT NULL,
                kind TEXT NOT NULL,
                url TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,

            """
            CREATE TABLE events (
                user_id BYTEA NOT NULL,
                sequence BIGINT NOT NULL,
                kind TEXT NOT NULL,
                happened_at BIGINT NOT NULL,
                data TEXT NOT NULL,
                PRIMARY KEY (user_id, sequence)
            ) /* clustered */
            """,
        ] + signInTables + [
            """
            CREATE TABLE qr_codes (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL UNIQUE CHECK (length(id) = 16),
                created_at BIGINT NOT NULL
            ) /* clustered */
            """,

            """
            CREATE TABLE pictures (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL UNIQUE,
                content_type TEXT NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg')),
                bytes BYTEA NOT NULL
            )
            """,
        ]
    )
}
