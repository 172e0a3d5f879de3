extension Migration {
    /// The newest drill of each person, with its answers. Older servers can still deliver a drill's
    /// messages, whose text says that it is a drill.
    static let drills = Migration(
        version: 12,
        statements: [
            """
            CREATE TABLE drills (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                started_at BIGINT NOT NULL,
                ends_at BIGINT NOT NULL,
                ended_at BIGINT,
                end_reason TEXT,
                next_due_at BIGINT,
                CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
                CHECK (ended_at IS NULL OR next_due_at IS NULL)
            ) /* clustered */
            """,
            "CREATE INDEX drills_by_due ON drills (next_due_at) WHERE next_due_at IS NOT NULL",
            "CREATE INDEX drills_by_start ON drills (started_at)",
            // Two rows per answer, one for each side. `name`: the other side's name. `ends_at`: the
            // planned end, or the actual end once the drill is over.
            """
            CREATE TABLE drill_answers (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                owner_id BYTEA NOT NULL CHECK (length(owner_id) = 16),
                person_id BYTEA NOT NULL CHECK (length(person_id) = 16),
                drill_id BYTEA NOT NULL CHECK (length(drill_id) = 16),
                name TEXT NOT NULL,
                place BIGINT NOT NULL,
                notification_id BYTEA,
                started_at BIGINT NOT NULL,
                ends_at BIGINT NOT NULL,
                answered_at BIGINT,
                channel TEXT,
                PRIMARY KEY (user_id, owner_id, person_id),
                CHECK (user_id = owner_id OR user_id = person_id)
            ) /* clustered */
            """,
            "CREATE INDEX drill_answers_by_start ON drill_answers (started_at)",
        ],
        oldestProgram: 5)
}
