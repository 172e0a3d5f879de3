extension Migration {
    /// The session that began a change of the person's number; NULL for an administrator's change.
    /// A change that an older server beside this one begins counts as an administrator's.
    static let numberMoveSessions = Migration(
        version: 34,
        statements: ["ALTER TABLE number_moves ADD COLUMN session_id BYTEA"],
        oldestProgram: 32)
}
