extension Migration {
    /// The escalation ladder. Servers older than version 7 don't know these columns, so they leave
    /// all calls to newer servers.
    static let ladder = Migration(
        version: 7,
        statements: [
            // When to decide about the next calls; NULL when no calls are planned.
            "ALTER TABLE alerts ADD COLUMN next_call_at BIGINT",
            "CREATE INDEX alerts_by_call ON alerts (next_call_at) WHERE next_call_at IS NOT NULL",
            // The position in the user's order of responders. Contacts with NULL come last, the
            // oldest of them first.
            "ALTER TABLE contacts ADD COLUMN position BIGINT",
        ],
        oldestProgram: 5)
}
