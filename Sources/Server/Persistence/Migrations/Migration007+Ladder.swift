extension Migration {
    /// The ladder. Programs of the sixth schema don't name these columns: they begin no calls, and
    /// leave those of others to the programs that know them.
    static let ladder = Migration(
        version: 7,
        statements: [
            // The time to decide about the next calls; NULL when none are to be made.
            "ALTER TABLE alerts ADD COLUMN next_call_at BIGINT",
            "CREATE INDEX alerts_by_call ON alerts (next_call_at) WHERE next_call_at IS NOT NULL",
            // The place in the user's order of responders; NULL: after those, the oldest first.
            "ALTER TABLE contacts ADD COLUMN position BIGINT",
        ],
        oldestProgram: 5)
}
