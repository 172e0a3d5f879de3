extension Migration {
    /// A session's pass, which raises one alert and can do nothing else: its hash, its expiry, and
    /// the alert that it raised. An app gives the pass to its operating system.
    static let alertPasses = Migration(
        version: 22,
        statements: [
            "ALTER TABLE sessions ADD COLUMN alert_pass_hash BYTEA",
            "ALTER TABLE sessions ADD COLUMN alert_pass_expires_at BIGINT",
            "ALTER TABLE sessions ADD COLUMN alert_pass_alert_id BYTEA",
        ],
        oldestProgram: 5)
}
