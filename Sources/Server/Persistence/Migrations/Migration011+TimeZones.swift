extension Migration {
    /// The time zone of each person, as a device last reported it; NULL before. Programs of the
    /// earlier schemas write messages with times in UTC.
    static let timeZones = Migration(
        version: 11,
        statements: ["ALTER TABLE users ADD COLUMN time_zone TEXT"],
        oldestProgram: 5)
}
