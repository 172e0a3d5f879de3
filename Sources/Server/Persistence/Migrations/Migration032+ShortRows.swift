extension Migration {
    /// Fewer bytes for a check-in on SQLite: no index of check-ins by time, and short events
    /// (`ShortCheckIn`). A server without this migration can't read these events; those in JSON
    /// expire.
    ///
    /// PostgreSQL keeps the index: without it, it would read a page for each check-in of a history.
    /// Its events stay JSON, so an older server can run beside this one until it is restarted.
    static let shortRows = Migration(
        version: 32,
        statements: [],
        first: [.sqlite: ["DROP INDEX check_ins_by_time"]])
}
