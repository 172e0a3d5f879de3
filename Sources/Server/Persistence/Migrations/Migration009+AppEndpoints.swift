extension Migration {
    /// Push tokens of apps on phones.
    static let appEndpoints = Migration(
        version: 9,
        statements: [
            // The columns up to `gone_since` equal those of `devices`. `url`: the token, as
            // `AppToken.url`. `registered_at`: the app's last registration.
            """
            CREATE TABLE app_endpoints (
                user_id BYTEA NOT NULL,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                session_id BYTEA NOT NULL,
                kind TEXT NOT NULL,
                url TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                last_success_at BIGINT,
                failing_since BIGINT,
                last_failure TEXT,
                gone_since BIGINT,
                address_hash BYTEA NOT NULL CHECK (length(address_hash) = 32),
                registered_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, id),
                FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id)
                ON DELETE CASCADE
            ) /* clustered */
            """,
            "CREATE INDEX app_endpoints_by_session ON app_endpoints (user_id, session_id)",
        ],
        oldestProgram: 5)
}
