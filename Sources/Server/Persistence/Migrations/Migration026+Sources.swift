extension Migration {
    /// Sources, which check in without the app. An older server beside this one keeps the hash of
    /// a deleted account's source, which then belongs to nobody.
    static let sources = Migration(
        version: 26,
        statements: [
            // `last_day` and `days_before` are a `SourceHabit`. `silent_at`: when the owner is told
            // that the source is silent.
            """
            CREATE TABLE sources (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                name TEXT NOT NULL,
                hash BYTEA NOT NULL CHECK (length(hash) = 32),
                created_at BIGINT NOT NULL,
                last_used_at BIGINT,
                last_day BIGINT,
                days_before BIGINT,
                silent_at BIGINT,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            "CREATE INDEX sources_silent ON sources (silent_at) WHERE silent_at IS NOT NULL",
            """
            CREATE TABLE source_hashes (
                hash BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
                user_id BYTEA NOT NULL
            ) /* clustered */
            """,
            // The name of the source that checked in; NULL for the person.
            "ALTER TABLE check_ins ADD COLUMN source TEXT",
        ],
        oldestProgram: 5)
}
