extension Migration {
    /// Finds the newest notifications about a person by an index. Servers older than version 17
    /// keep all notifications.
    static let newsOfAPerson = Migration(
        version: 17,
        statements: [
            """
            CREATE INDEX notifications_news ON notifications (user_id, about_user_id, created_at)
            WHERE alert_id IS NULL
            """
        ],
        oldestProgram: 5)
}
