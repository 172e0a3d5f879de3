extension Migration {
    /// The session that ended an alert, and its device's name, which outlives the session.
    static let alertEnds = Migration(
        version: 23,
        statements: [
            "ALTER TABLE alerts ADD COLUMN ended_by_session BYTEA",
            "ALTER TABLE alerts ADD COLUMN ended_on_device TEXT",
        ],
        oldestProgram: 5)
}
