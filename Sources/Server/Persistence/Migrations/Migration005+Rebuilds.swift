extension Migration {
    /// Rebuilds SQLite's tables without the unique keys on single columns.
    static let rebuilds = [
        """
        CREATE TABLE new_users (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
            phone_number TEXT NOT NULL,
            name TEXT NOT NULL,
            emergency_note TEXT NOT NULL,
            picture_id BYTEA,
            muted TEXT NOT NULL,
            created_at BIGINT NOT NULL
        ) /* clustered */
        """,
        """
        INSERT INTO new_users (id, phone_number, name, emergency_note, picture_id, muted,
            created_at)
        SELECT id, phone_number, name, emergency_note, picture_id, muted, created_at FROM users
        """,
        "DROP TABLE users",
        "ALTER TABLE new_users RENAME TO users",

        """
        CREATE TABLE new_sessions (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            device_name TEXT NOT NULL,
            access_hash BYTEA NOT NULL,
            access_expires_at BIGINT NOT NULL,
            refresh_hash BYTEA NOT NULL,
            refresh_expires_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL,
            family_hash BYTEA,
            previous_refresh_hash BYTEA,
            web_secret_hash BYTEA,
            PRIMARY KEY (user_id, id)
        ) /* clustered */
        """,
        """
        INSERT INTO new_sessions (user_id, id, device_name, access_hash, access_expires_at,
            refresh_hash, refresh_expires_at, created_at, last_used_at, family_hash,
            previous_refresh_hash)
        SELECT user_id, id, device_name, access_hash, access_expires_at, refresh_hash,
            refresh_expires_at, created_at, last_used_at, family_hash, previous_refresh_hash
        FROM sessions
        """,
        "DROP TABLE sessions",
        "ALTER TABLE new_sessions RENAME TO sessions",
        "CREATE INDEX sessions_by_age ON sessions (refresh_expires_at)",

        """
        CREATE TABLE new_qr_codes (
            user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            created_at BIGINT NOT NULL
        ) /* clustered */
        """,
        """
        INSERT INTO new_qr_codes (user_id, id, created_at)
        SELECT user_id, id, created_at FROM qr_codes
        """,
        "DROP TABLE qr_codes",
        "ALTER TABLE new_qr_codes RENAME TO qr_codes",

        """
        CREATE TABLE new_pictures (
            user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL,
            content_type TEXT NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg')),
            bytes BYTEA NOT NULL
        )
        """,
        """
        INSERT INTO new_pictures (user_id, id, content_type, bytes)
        SELECT user_id, id, content_type, bytes FROM pictures
        """,
        "DROP TABLE pictures",
        "ALTER TABLE new_pictures RENAME TO pictures",
    ]
}
