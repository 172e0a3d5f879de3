extension Migration {
    /// When everyone was alerted again because every responder had said "I can't".
    static let refusals = Migration(
        version: 21,
        statements: ["ALTER TABLE alerts ADD COLUMN refused_at BIGINT"],
        oldestProgram: 5)
}
