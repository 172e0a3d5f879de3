extension Migration {
    /// The session that caused a notification, such as a new sign-in. The reader can end that
    /// session.
    static let notifiedSessions = Migration(
        version: 19,
        statements: ["ALTER TABLE notifications ADD COLUMN session_id BYTEA"],
        oldestProgram: 5)
}
