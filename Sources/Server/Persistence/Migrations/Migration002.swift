extension Migration {
    /// Handled requests, by the idempotency keys that clients sent. Rows expire after
    /// `RequestKeyRules.kept`.
    static let second = Migration(
        version: 2,
        statements: [
            // `outcome_id` is set when the response named a different object than the request: an
            // alert or a ping that was already open.
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
