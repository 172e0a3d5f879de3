extension Migration {
    /// Handled requests, by the client's idempotency key. Rows expire after `RequestKeyRules.kept`.
    static let second = Migration(
        version: 2,
        statements: [
            // `outcome_id`: an alert or ping that was already open, which the response named
            // instead of the request's own.
            """
            CREATE TABLE request_keys (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                key BYTEA NOT NULL CHECK (length(key) = 16),
                request TEXT NOT NULL,
                outcome_id BYTEA,
                happened_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, key)
            ) /* clustered */
            """,
            "CREATE INDEX request_keys_by_age ON request_keys (happened_at)",
        ]
    )
}
