extension Migration {
    static let signInTables = [
        """
        CREATE TABLE sessions (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            device_name TEXT NOT NULL,
            access_hash BYTEA NOT NULL UNIQUE,
            access_expires_at BIGINT NOT NULL,
            refresh_hash BYTEA NOT NULL UNIQUE,
            refresh_expires_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, id)
        ) /* clustered */
        """,
        "CREATE INDEX sessions_by_age ON sessions (refresh_expires_at)",
        """
        CREATE TABLE used_refresh_tokens (
            hash BYTEA NOT NULL PRIMARY KEY,
            user_id BYTEA NOT NULL,
            session_id BYTEA NOT NULL,
            FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id)
            ON DELETE CASCADE
        ) /* clustered */
        """,
        """
        CREATE INDEX used_refresh_tokens_by_session ON used_refresh_tokens (user_id, session_id)
        """,

        """
        CREATE TABLE sign_in_codes (
            id BYTEA NOT NULL PRIMARY KEY,
            phone_number TEXT NOT NULL,
            address_hash BYTEA NOT NULL,
            code_hash BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            tries_left BIGINT NOT NULL
        ) /* clustered */
        """,
        "CREATE INDEX sign_in_codes_by_number ON sign_in_codes (phone_number, created_at)",
        "CREATE INDEX sign_in_codes_by_address ON sign_in_codes (address_hash, created_at)",
        "CREATE INDEX sign_in_codes_by_age ON sign_in_codes (created_at)",
    ]
}
