extension Migration {
    static let tokens =
        [
            // Hashes of access and refresh tokens, and of the secret that a session's refresh
            // tokens begin with. The session's row tells which kind a hash is.
            """
            CREATE TABLE token_hashes (
                hash BYTEA NOT NULL PRIMARY KEY,
                user_id BYTEA NOT NULL,
                session_id BYTEA NOT NULL
            ) /* clustered */
            """,
            """
            CREATE TABLE new_used_refresh_tokens (
                user_id BYTEA NOT NULL,
                session_id BYTEA NOT NULL,
                hash BYTEA NOT NULL,
                PRIMARY KEY (user_id, session_id, hash),
                FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id)
                ON DELETE CASCADE
            ) /* clustered */
            """,
            """
            INSERT INTO new_used_refresh_tokens (user_id, session_id, hash)
            SELECT user_id, session_id, hash FROM used_refresh_tokens
            """,
            "DROP TABLE used_refresh_tokens",
            "ALTER TABLE new_used_refresh_tokens RENAME TO used_refresh_tokens",
        ]
        + [
            ("access_hash", "id", "sessions"), ("refresh_hash", "id", "sessions"),
            ("previous_refresh_hash", "id", "sessions"), ("family_hash", "id", "sessions"),
            ("hash", "session_id", "used_refresh_tokens"),
        ].map { hash, session, table in
            """
            INSERT INTO token_hashes (hash, user_id, session_id)
            SELECT \(hash), user_id, \(session) FROM \(table) WHERE \(hash) IS NOT NULL
            ON CONFLICT (hash) DO NOTHING
            """
        } + [
            """
            CREATE TABLE new_web_sessions (
                secret_hash BYTEA NOT NULL PRIMARY KEY CHECK (length(secret_hash) = 32),
                user_id BYTEA NOT NULL,
                session_id BYTEA NOT NULL
            ) /* clustered */
            """,
            """
            INSERT INTO new_web_sessions (secret_hash, user_id, session_id)
            SELECT secret_hash, user_id, session_id FROM web_sessions
            """,
            """
            UPDATE sessions SET web_secret_hash = (SELECT secret_hash FROM web_sessions
                WHERE web_sessions.user_id = sessions.user_id
                    AND web_sessions.session_id = sessions.id)
            """,
            "DROP TABLE web_sessions",
            "ALTER TABLE new_web_sessions RENAME TO web_sessions",
        ]

    /// The unique values, such as phone numbers, with the user of each.
    static let values = [
        """
        CREATE TABLE phone_numbers (
            phone_number TEXT NOT NULL PRIMARY KEY,
            user_id BYTEA NOT NULL
        ) /* clustered */
        """,
        "INSERT INTO phone_numbers (phone_number, user_id) SELECT phone_number, id FROM users",
        """
        CREATE TABLE qr_code_ids (
            id BYTEA NOT NULL PRIMARY KEY,
            user_id BYTEA NOT NULL
        ) /* clustered */
        """,
        "INSERT INTO qr_code_ids (id, user_id) SELECT id, user_id FROM qr_codes",
        """
        CREATE TABLE picture_ids (
            id BYTEA NOT NULL PRIMARY KEY,
            user_id BYTEA NOT NULL
        ) /* clustered */
        """,
        "INSERT INTO picture_ids (id, user_id) SELECT id, user_id FROM pictures",
        // The key includes the user, because clients make these ids and two may be equal.
        """
        CREATE TABLE alert_ids (
            id BYTEA NOT NULL,
            user_id BYTEA NOT NULL,
            PRIMARY KEY (id, user_id)
        ) /* clustered */
        """,
        "INSERT INTO alert_ids (id, user_id) SELECT id, user_id FROM alerts",
        "DROP INDEX alerts_by_id",
        // The key includes the delivery, because two providers may give the same id.
        """
        CREATE TABLE provider_ids (
            provider_id TEXT NOT NULL,
            user_id BYTEA NOT NULL,
            delivery_id BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (provider_id, user_id, delivery_id)
        ) /* clustered */
        """,
        "CREATE INDEX provider_ids_by_age ON provider_ids (created_at)",
        """
        INSERT INTO provider_ids (provider_id, user_id, delivery_id, created_at)
        SELECT provider_id, user_id, id, created_at FROM deliveries WHERE provider_id IS NOT NULL
        """,
        "DROP INDEX deliveries_by_provider",
    ]

    static let acquaintances =
        [
            // Present and former contacts, in both directions. A row stays until `user_id` deletes
            // the account, because an alert's history names former contacts.
            """
            CREATE TABLE acquaintances (
                user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                other_id BYTEA NOT NULL,
                PRIMARY KEY (user_id, other_id)
            ) /* clustered */
            """
        ]
        + [
            ("user_id", "contact_id", "contacts"), ("blocker_id", "blocked_id", "blocks"),
            ("alert_user_id", "user_id", "deliveries"),
            ("user_id", "responder_id", "alert_actions"),
            ("about_user_id", "user_id", "notifications"),
            ("responder_id", "dependent_id", "pings"),
        ].flatMap { one, other, table in
            [(one, other), (other, one)].map { user, other in
                """
                INSERT INTO acquaintances (user_id, other_id)
                SELECT DISTINCT \(user), \(other) FROM \(table)
                WHERE \(user) IN (SELECT id FROM users) AND \(other) <> \(user)
                ON CONFLICT (user_id, other_id) DO NOTHING
                """
            }
        }
}
