extension Migration {
    /// The session that ended an alert, and the name of its device. The name outlives the session.
    /// Servers older than version 23 leave both NULL.
    static let alertEnds = Migration(
        version: 23,
        statements: [
            "ALTER TABLE alerts ADD COLUMN ended_by_session BYTEA",
            "ALTER TABLE alerts ADD COLUMN ended_on_device TEXT",
        ],
        oldestProgram: 5)
}
