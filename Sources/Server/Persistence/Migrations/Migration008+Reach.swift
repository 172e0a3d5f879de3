extension Migration {
    /// E-mail addresses and budgets. Programs of the schema before see none of it.
    static let reach = Migration(
        version: 8,
        statements: [
            // `address` is confirmed; `new_address` waits for the code of `code_id`.
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
            // One row for each address that somebody entered. The rows stay when the account goes,
            // and nothing but this server's key tells whose they were. `state`: 0 written to,
            // 1 answered, 2 not written to.
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
            // Paid messages of a day (its beginning in UTC): of all, and by the user who caused
            // them.
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
