extension Migration {
    /// Tokens of the operator for new accounts. A server without this migration ignores them.
    static let signUp = Migration(
        version: 28,
        statements: [
            // `phone_number`: the number that the token signs in without a code; NULL for a token
            // for new accounts.
            """
            CREATE TABLE sign_up_tokens (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
                note TEXT NOT NULL,
                phone_number TEXT,
                uses BIGINT NOT NULL,
                used BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                revoked_at BIGINT
            ) /* clustered */
            """,
            "CREATE INDEX sign_up_tokens_by_age ON sign_up_tokens (expires_at)",
            """
            CREATE INDEX sign_up_tokens_by_number ON sign_up_tokens (phone_number)
            WHERE phone_number IS NOT NULL
            """,
            // The accounts that a person's code opened.
            """
            CREATE TABLE invited_sign_ups (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, id)
            ) /* clustered */
            """,
            "CREATE INDEX invited_sign_ups_by_age ON invited_sign_ups (created_at)",
            // What admits the code's number: a token, or the owner of a code.
            "ALTER TABLE sign_in_codes ADD COLUMN token_id BYTEA",
            "ALTER TABLE sign_in_codes ADD COLUMN inviter_id BYTEA",
            """
            CREATE INDEX sign_in_codes_by_token ON sign_in_codes (token_id, created_at)
            WHERE token_id IS NOT NULL
            """,
        ],
        oldestProgram: 5)
}
