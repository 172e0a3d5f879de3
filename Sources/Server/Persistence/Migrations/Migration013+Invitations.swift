extension Migration {
    /// Invitations, and guests: responders without an account. A guest is a row of `users` that has
    /// no sign-in. Servers older than version 13 notify guests without a link.
    static let invitations = Migration(
        version: 13,
        statements: [
            // When the person became a guest; NULL after they have signed in.
            "ALTER TABLE users ADD COLUMN guest_since BIGINT",
            """
            CREATE TABLE invitations (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                name TEXT NOT NULL,
                phone_number TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined')),
                created_at BIGINT NOT NULL,
                answered_at BIGINT,
                contact_id BYTEA,
                PRIMARY KEY (user_id, id),
                UNIQUE (user_id, phone_number)
            ) /* clustered */
            """,
            // One row for each invitation ever made. The rows outlive the invitation and the
            // account; only the server key can link them to a person. `was_sent`: 0 if no message
            // was sent.
            """
            CREATE TABLE invitation_messages (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                number_hash BYTEA NOT NULL,
                user_hash BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                was_sent SMALLINT NOT NULL CHECK (was_sent IN (0, 1))
            ) /* clustered */
            """,
            """
            CREATE INDEX invitation_messages_by_number
            ON invitation_messages (number_hash, was_sent)
            """,
            """
            CREATE INDEX invitation_messages_by_user ON invitation_messages (user_hash, created_at)
            """,
            "CREATE INDEX invitation_messages_by_time ON invitation_messages (created_at)",
        ],
        oldestProgram: 5)
}
