extension Migration {
    /// The session that caused a notification, so that its reader can end that session. Programs of
    /// earlier schemas leave it NULL.
    static let notifiedSessions = Migration(
        version: 19,
        statements: ["ALTER TABLE notifications ADD COLUMN session_id BYTEA"],
        oldestProgram: 5)
}
