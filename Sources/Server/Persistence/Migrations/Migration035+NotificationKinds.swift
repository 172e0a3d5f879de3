extension Migration {
    /// The kind of a notification (`NotificationKind`). NULL in older rows, and in those of an
    /// older server beside this one: their title tells the kind (`StoredNews.oldTitles`). No
    /// statement fills these rows, because it would rewrite the table.
    static let notificationKinds = Migration(
        version: 35,
        statements: ["ALTER TABLE notifications ADD COLUMN kind TEXT"],
        oldestProgram: 32)
}
