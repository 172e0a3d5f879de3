extension Migration {
    /// A session's single-use pass for one call for help: the hash of the pass, its expiry, and the
    /// alert that it opened. An app hands the pass to its operating system. Programs of earlier
    /// schemas issue none.
    static let alertPasses = Migration(
        version: 22,
        statements: [
            "ALTER TABLE sessions ADD COLUMN alert_pass_hash BYTEA",
            "ALTER TABLE sessions ADD COLUMN alert_pass_expires_at BIGINT",
            "ALTER TABLE sessions ADD COLUMN alert_pass_alert_id BYTEA",
        ],
        oldestProgram: 5)
}
