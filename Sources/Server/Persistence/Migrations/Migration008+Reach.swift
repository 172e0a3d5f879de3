extension Migration {
    /// E-mail addresses, and the counts of paid messages.
    static let reach = Migration(
        version: 8,
        statements: [
            // `address` is confirmed. `new_address` awaits the code `code_id`.
            """
            CREATE TABLE email_addresses (
                user_id BYTEA NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                address TEXT,
                verified_at BIGINT,
                last_success_at BIGINT,
                failing_since BIGINT,
                last_failure TEXT,
                new_address TEXT,
                code_id BYTEA
            ) /* clustered */
            """,
            // One row for each entered address. The rows outlive the account; only the server key
            // can link them to a person. `state`: 0 a message was sent, 1 the code was entered, 2
            // no message was sent.
            """
            CREATE TABLE email_codes (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                mailbox_hash BYTEA NOT NULL,
                user_hash BYTEA NOT NULL,
                address_hash BYTEA NOT NULL,
                network_hash BYTEA,
                code_hash BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                tries_left BIGINT NOT NULL,
                state BIGINT NOT NULL
            ) /* clustered */
            """,
            "CREATE INDEX email_codes_by_mailbox ON email_codes (mailbox_hash, state)",
            "CREATE INDEX email_codes_by_user ON email_codes (user_hash, created_at)",
            "CREATE INDEX email_codes_by_address ON email_codes (address_hash, created_at)",
            "CREATE INDEX email_codes_by_network ON email_codes (network_hash, created_at)",
            "CREATE INDEX email_codes_by_time ON email_codes (created_at)",
            // Counts of paid messages per day, for the whole server and for each user who caused
            // them. `day` is the start of the day in UTC.
            """
            CREATE TABLE spending (
                day BIGINT NOT NULL,
                channel TEXT NOT NULL,
                used BIGINT NOT NULL,
                PRIMARY KEY (day, channel)
            ) /* clustered */
            """,
            """
            CREATE TABLE user_spending (
                user_id BYTEA NOT NULL,
                day BIGINT NOT NULL,
                channel TEXT NOT NULL,
                used BIGINT NOT NULL,
                PRIMARY KEY (user_id, day, channel)
            ) /* clustered */
            """,
            "CREATE INDEX user_spending_by_day ON user_spending (day)",
        ],
        oldestProgram: 5)
}
