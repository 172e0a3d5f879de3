extension Migration {
    /// Warnings before a person becomes unreachable.
    static let silence = Migration(
        version: 18,
        statements: [
            // When the person was last warned that their session is about to expire.
            "ALTER TABLE sessions ADD COLUMN expiry_warned_at BIGINT",
            // When the person's contacts were last told that no message reaches the person.
            "ALTER TABLE users ADD COLUMN unreachable_told_at BIGINT",
            """
            CREATE INDEX devices_by_failure ON devices (failing_since)
            WHERE failing_since IS NOT NULL
            """,
            """
            CREATE INDEX push_subscriptions_by_failure ON push_subscriptions (failing_since)
            WHERE failing_since IS NOT NULL
            """,
            """
            CREATE INDEX app_endpoints_by_failure ON app_endpoints (failing_since)
            WHERE failing_since IS NOT NULL
            """,
            """
            CREATE INDEX email_addresses_by_failure ON email_addresses (failing_since)
            WHERE failing_since IS NOT NULL
            """,
        ],
        oldestProgram: 5)
}
