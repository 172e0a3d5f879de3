extension Migration {
    /// The ledger of all messages, and the history of each endpoint.
    static let deliveries = [
        // `priority`: 0 for alerts, 1 for everything else. `useful_until`: the end of retries.
        // `superseded`: 1 if a newer message has replaced this one, so it is not retried.
        """
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
            PRIMARY KEY (user_id, id)
        ) /* clustered */
        """,
        """
        INSERT INTO new_deliveries (user_id, id, notification_id, channel, device_id,
            recipient_name, alert_user_id, alert_id, purpose, priority, state, reason, attempts,
            next_try_at, useful_until, created_at, updated_at, provider_id)
        SELECT user_id, id, notification_id, channel, device_id, recipient_name, alert_user_id,
            alert_id, CASE WHEN alert_id IS NULL THEN 'other' ELSE 'alertNews' END,
            CASE WHEN alert_id IS NULL THEN 1 ELSE 0 END,
            CASE WHEN state <> 'attempted' THEN state
                WHEN next_try_at IS NULL THEN 'givenUp' ELSE 'retrying' END,
            CASE WHEN state IN ('failed', 'givenUp', 'attempted') THEN 'other' END,
            attempts, next_try_at,
            created_at + CASE WHEN alert_id IS NULL THEN 21600000 ELSE 86400000 END,
            created_at, updated_at, provider_id
        FROM deliveries
        """,
        "DROP TABLE deliveries",
        "ALTER TABLE new_deliveries RENAME TO deliveries",
        // Sorted like the query that leases rows, so that a lease doesn't sort.
        """
        CREATE INDEX deliveries_due ON deliveries (channel, priority, next_try_at, user_id, id)
        WHERE next_try_at IS NOT NULL
        """,
        // The queue of one endpoint, in the order of leases.
        """
        CREATE INDEX deliveries_by_endpoint
        ON deliveries (user_id, channel, device_id, priority, next_try_at)
        WHERE next_try_at IS NOT NULL
        """,
        "CREATE INDEX deliveries_by_notification ON deliveries (user_id, notification_id)",
        """
        CREATE INDEX deliveries_by_alert ON deliveries (alert_user_id, alert_id, user_id)
        WHERE alert_id IS NOT NULL
        """,
        """
        CREATE INDEX deliveries_by_provider ON deliveries (provider_id)
        WHERE provider_id IS NOT NULL
        """,
        "CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE alert_id IS NULL",

        "ALTER TABLE notifications ADD COLUMN urgent SMALLINT NOT NULL DEFAULT 0",
        "CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL",
        """
        CREATE INDEX notifications_about ON notifications (about_user_id)
        WHERE about_user_id IS NOT NULL
        """,
        "ALTER TABLE devices ADD COLUMN last_success_at BIGINT",
        "ALTER TABLE devices ADD COLUMN failing_since BIGINT",
        "ALTER TABLE devices ADD COLUMN last_failure TEXT",
        // The first 404 or 410 since the last success. The owner was told at that time.
        "ALTER TABLE devices ADD COLUMN gone_since BIGINT",
    ]

    static let signIn = [
        // The hash of the secret that all refresh tokens of a session begin with. It identifies a
        // used token, because used tokens aren't stored.
        "ALTER TABLE sessions ADD COLUMN family_hash BYTEA",
        "ALTER TABLE sessions ADD COLUMN previous_refresh_hash BYTEA",
        """
        CREATE UNIQUE INDEX sessions_by_family ON sessions (family_hash)
        WHERE family_hash IS NOT NULL
        """,
        """
        CREATE UNIQUE INDEX sessions_by_previous ON sessions (previous_refresh_hash)
        WHERE previous_refresh_hash IS NOT NULL
        """,
        // `requester_hash`: a known device, or the network address of an unknown one.
        "ALTER TABLE sign_in_codes ADD COLUMN requester_hash BYTEA",
        "ALTER TABLE sign_in_codes ADD COLUMN network_hash BYTEA",
        """
        CREATE INDEX sign_in_codes_by_network ON sign_in_codes (network_hash, created_at)
        WHERE network_hash IS NOT NULL
        """,
        // A code for a test number doesn't count against the global limit.
        "ALTER TABLE sign_in_codes ADD COLUMN is_test SMALLINT NOT NULL DEFAULT 0",
        "CREATE INDEX sign_in_codes_paid ON sign_in_codes (created_at) WHERE is_test = 0",
        // Devices that have signed in before. `key_hash`: the hash of a key that the device made.
        """
        CREATE TABLE known_devices (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            key_hash BYTEA NOT NULL CHECK (length(key_hash) = 32),
            last_used_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, key_hash)
        ) /* clustered */
        """,
        "CREATE INDEX known_devices_by_age ON known_devices (last_used_at)",
    ]

    /// Indexes for deleting and exporting an account.
    static let leaving = [
        "CREATE INDEX blocks_by_blocked ON blocks (blocked_id)",
        "CREATE INDEX pings_by_responder ON pings (responder_id, created_at, id)",
    ]

    static let memory = [
        // State that survives restarts of the server, as names and numbers.
        """
        CREATE TABLE server_state (
            name TEXT NOT NULL PRIMARY KEY,
            value BIGINT NOT NULL
        ) /* clustered */
        """
    ]
}
