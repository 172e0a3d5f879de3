extension Migration {
    /// The escalation ladder: push, then SMS, then calls. Older servers make no calls.
    static let ladder = Migration(
        version: 7,
        statements: [
            // The time of the next decision about calls; NULL when no calls are planned.
            "ALTER TABLE alerts ADD COLUMN next_call_at BIGINT",
            "CREATE INDEX alerts_by_call ON alerts (next_call_at) WHERE next_call_at IS NOT NULL",
            // The contact's position in the user's order of responders. NULL comes last, oldest
            // first.
            "ALTER TABLE contacts ADD COLUMN position BIGINT",
        ],
        oldestProgram: 5)
}
