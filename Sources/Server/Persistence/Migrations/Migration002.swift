extension Migration {
    /// Handled requests, by the keys that clients gave them. Rows go after `RequestKeyRules.kept`.
    static let second = Migration(
        version: 2,
        statements: [
            // `outcome_id` is what a request with an id of its own was answered with, when that is
            // another: an alert or a ping that was open already.
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
