extension Migration {
    /// When everyone was alerted again because all responders had said that they can't help.
    /// Servers older than version 21 leave it NULL.
    static let refusals = Migration(
        version: 21,
        statements: ["ALTER TABLE alerts ADD COLUMN refused_at BIGINT"],
        oldestProgram: 5)
}
