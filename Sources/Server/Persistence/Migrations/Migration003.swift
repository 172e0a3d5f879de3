extension Migration {
    /// Browser sessions. A row belongs to a session and is deleted with it.
    static let third = Migration(
        version: 3,
        statements: [
            """
            CREATE TABLE web_sessions (
                secret_hash BYTEA NOT NULL PRIMARY KEY CHECK (length(secret_hash) = 32),
                user_id BYTEA NOT NULL,
                session_id BYTEA NOT NULL,
                FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id)
                ON DELETE CASCADE
            ) /* clustered */
            """,
            "CREATE UNIQUE INDEX web_sessions_by_session ON web_sessions (user_id, session_id)",
        ]
    )
}
