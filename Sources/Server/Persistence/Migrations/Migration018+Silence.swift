extension Migration {
    /// Warnings before a person becomes unreachable. Servers older than version 18 send none.
    static let silence = Migration(
        version: 18,
        statements: [
            // When the person was last warned that the session is about to expire.
            "ALTER TABLE sessions ADD COLUMN expiry_warned_at BIGINT",
            // When the people who rely on this person last learned that nothing reaches them.
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
