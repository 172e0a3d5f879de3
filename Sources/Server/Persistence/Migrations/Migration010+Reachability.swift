extension Migration {
    /// Proof that people can be reached. Servers older than version 10 don't record it.
    static let reachability = Migration(
        version: 10,
        statements: [
            // `received_at`: the last confirmation by the device. `checked_at`: the last
            // confirmation or the last test message, whichever is later.
            "ALTER TABLE push_subscriptions ADD COLUMN received_at BIGINT",
            "ALTER TABLE push_subscriptions ADD COLUMN checked_at BIGINT",
            """
            CREATE INDEX push_subscriptions_by_check
            ON push_subscriptions (COALESCE(checked_at, created_at))
            """,
            "ALTER TABLE app_endpoints ADD COLUMN received_at BIGINT",
            "ALTER TABLE app_endpoints ADD COLUMN checked_at BIGINT",
            """
            CREATE INDEX app_endpoints_by_check
            ON app_endpoints (COALESCE(checked_at, created_at))
            """,
            // Proofs for channels without endpoints, such as SMS.
            """
            CREATE TABLE proofs (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                channel TEXT NOT NULL,
                proven_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, channel)
            ) /* clustered */
            """,
        ],
        oldestProgram: 5)
}
