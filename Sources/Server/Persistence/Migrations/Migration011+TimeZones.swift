extension Migration {
    /// Each person's time zone, as a device last reported it. Servers older than version 11 write
    /// times in UTC.
    static let timeZones = Migration(
        version: 11,
        statements: ["ALTER TABLE users ADD COLUMN time_zone TEXT"],
        oldestProgram: 5)
}
