extension Migration {
    /// Journeys, one row for each person, and alerts that reach only chosen responders. An older
    /// server beside this one doesn't open these alerts, and repeats an open one to all responders.
    static let journeys = Migration(
        version: 25,
        statements: [
            // `only_for`: ids as JSON; NULL for all responders. `reminders`: how many.
            """
            CREATE TABLE journeys (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                name TEXT NOT NULL,
                note TEXT NOT NULL,
                started_at BIGINT NOT NULL,
                expected_return_at BIGINT NOT NULL,
                return_chosen_at BIGINT NOT NULL,
                grace_minutes BIGINT NOT NULL,
                deadline_at BIGINT NOT NULL,
                only_for TEXT,
                tells_responders BIGINT NOT NULL,
                reminders BIGINT NOT NULL,
                alert_id BYTEA,
                ended_at BIGINT,
                next_due_at BIGINT,
                CHECK (ended_at IS NULL OR next_due_at IS NULL)
            ) /* clustered */
            """,
            "CREATE INDEX journeys_by_due ON journeys (next_due_at) WHERE next_due_at IS NOT NULL",
            "CREATE INDEX journeys_by_end ON journeys (ended_at) WHERE ended_at IS NOT NULL",
            "ALTER TABLE alerts ADD COLUMN only_for TEXT",
            "ALTER TABLE alerts ADD COLUMN journey TEXT",
        ],
        oldestProgram: 5)
}
