extension Migration {
    /// Web Push. Version 5 may run beside version 6, because it doesn't use the new tables.
    static let sixth = Migration(
        version: 6,
        statements: [
            // Secrets that all servers share, encrypted with the server key.
            """
            CREATE TABLE server_secrets (
                name TEXT NOT NULL PRIMARY KEY,
                sealed BYTEA NOT NULL
            ) /* clustered */
            """,
            // The columns up to `gone_since` equal those of `devices`. `server_key`: the public key
            // that the browser subscribed with.
            """
            CREATE TABLE push_subscriptions (
                user_id BYTEA NOT NULL,
                id BYTEA NOT NULL CHECK (length(id) = 16),
                session_id BYTEA NOT NULL,
                url TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                last_success_at BIGINT,
                failing_since BIGINT,
                last_failure TEXT,
                gone_since BIGINT,
                address_hash BYTEA NOT NULL CHECK (length(address_hash) = 32),
                p256dh BYTEA NOT NULL,
                auth BYTEA NOT NULL,
                server_key BYTEA NOT NULL,
                PRIMARY KEY (user_id, id),
                FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id)
                ON DELETE CASCADE
            ) /* clustered */
            """,
            """
            CREATE INDEX push_subscriptions_by_session ON push_subscriptions (user_id, session_id)
            """,
            // An address belongs to one person: after another user signs in, the browser must not
            // get the previous user's messages.
            """
            CREATE TABLE push_addresses (
                hash BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
                user_id BYTEA NOT NULL,
                subscription_id BYTEA NOT NULL
            ) /* clustered */
            """,
            // When the device confirmed the message.
            "ALTER TABLE deliveries ADD COLUMN received_at BIGINT",
        ],
        oldestProgram: 5)
}
