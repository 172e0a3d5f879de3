extension Migration {
    /// The sign-in lock, the waits that codes begin, recovery codes and passkeys. A server without
    /// this migration ignores the lock.
    static let signInSecurity = Migration(
        version: 31,
        statements: [
            // `ends_at`: when the lock ends; NULL if it stays on. `codes_made_at`: when codes were
            // last made without an old one; NULL if that was long ago or never.
            """
            CREATE TABLE sign_in_locks (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                ends_at BIGINT,
                codes_made_at BIGINT
            ) /* clustered */
            """,
            // `stopped_at`: when a session stopped the wait; NULL if none did.
            """
            CREATE TABLE sign_in_waits (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                device_name TEXT NOT NULL,
                started_at BIGINT NOT NULL,
                ends_at BIGINT NOT NULL,
                stopped_at BIGINT
            ) /* clustered */
            """,
            """
            CREATE TABLE recovery_codes (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                hash BYTEA NOT NULL CHECK (length(hash) = 32),
                PRIMARY KEY (user_id, hash)
            ) /* clustered */
            """,
            // `public_key`: the COSE key.
            """
            CREATE TABLE passkeys (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                name TEXT NOT NULL,
                credential_id BYTEA NOT NULL,
                public_key BYTEA NOT NULL,
                counter BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                last_used_at BIGINT,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            // The hashes of used challenges.
            """
            CREATE TABLE passkey_challenges (
                hash BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
                expires_at BIGINT NOT NULL
            ) /* clustered */
            """,
            "CREATE INDEX passkey_challenges_by_age ON passkey_challenges (expires_at)",
        ],
        oldestProgram: 5)
}
