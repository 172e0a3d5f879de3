extension Migration {
    /// The session that caused a notification, so that its reader can end that session. Servers
    /// older than version 19 leave it NULL.
    static let notifiedSessions = Migration(
        version: 19,
        statements: ["ALTER TABLE notifications ADD COLUMN session_id BYTEA"],
        oldestProgram: 5)
}
