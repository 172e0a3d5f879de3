extension Migration {
    /// A session's pass for raising one alert: the hash of the pass, its expiry, and the alert that
    /// it was used for. An app hands the pass to its operating system. Servers older than version
    /// 22 issue none.
    static let alertPasses = Migration(
        version: 22,
        statements: [
            "ALTER TABLE sessions ADD COLUMN alert_pass_hash BYTEA",
            "ALTER TABLE sessions ADD COLUMN alert_pass_expires_at BIGINT",
            "ALTER TABLE sessions ADD COLUMN alert_pass_alert_id BYTEA",
        ],
        oldestProgram: 5)
}
