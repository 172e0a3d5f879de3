extension Migration {
    /// Gives every table a key for sharding: a person, or a globally unique value (Docs/scale.md,
    /// "Ready to shard").
    static let fifth = Migration(
        version: 5,
        statements: contacts + pings + tokens + values + acquaintances + [
            // The oldest server version that may use this schema. NULL: only the schema's own
            // version.
            "ALTER TABLE schema_versions ADD COLUMN oldest_program BIGINT",
            "DROP INDEX blocks_by_blocked",
        ],
        first: [.sqlite: rebuilds, .postgreSQL: alterations],
        rebuilt: [
            "users", "sessions", "qr_codes", "pictures", "contacts", "pings",
            "used_refresh_tokens", "acquaintances",
        ])

    /// Removes PostgreSQL's unique keys that don't include the person's column. SQLite uses
    /// `rebuilds` instead.
    private static let alterations = [
        "ALTER TABLE users DROP CONSTRAINT users_phone_number_key",
        "ALTER TABLE sessions DROP CONSTRAINT sessions_access_hash_key",
        "ALTER TABLE sessions DROP CONSTRAINT sessions_refresh_hash_key",
        "DROP INDEX sessions_by_family",
        "DROP INDEX sessions_by_previous",
        "ALTER TABLE sessions ADD COLUMN web_secret_hash BYTEA",
        "ALTER TABLE qr_codes DROP CONSTRAINT qr_codes_id_key",
        "ALTER TABLE pictures DROP CONSTRAINT pictures_id_key",
    ]

    private static let contacts = [
        // One row for each side. `responder_…`: the contact is the user's responder. `dependent_…`:
        // the contact is the user's dependent. A request is 'owner' if the protected person asked,
        // and 'responder' if the future responder asked.
        """
        CREATE TABLE new_contacts (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            contact_id BYTEA NOT NULL,
            responder_in_force SMALLINT NOT NULL CHECK (responder_in_force IN (0, 1)),
            responder_since BIGINT,
            responder_request TEXT,
            responder_requested_at BIGINT,
            dependent_in_force SMALLINT NOT NULL CHECK (dependent_in_force IN (0, 1)),
            dependent_since BIGINT,
            dependent_request TEXT,
            dependent_requested_at BIGINT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, contact_id),
            CHECK (user_id <> contact_id),
            CHECK (responder_in_force = 0 OR responder_request IS NULL),
            CHECK (dependent_in_force = 0 OR dependent_request IS NULL),
            CHECK (responder_in_force + dependent_in_force > 0
                OR responder_request IS NOT NULL OR dependent_request IS NOT NULL)
        ) /* clustered */
        """,
        """
        INSERT INTO new_contacts (user_id, contact_id, responder_in_force, responder_since,
            responder_request, responder_requested_at, dependent_in_force, dependent_since,
            dependent_request, dependent_requested_at, created_at)
        SELECT low_id, high_id, high_is_responder, high_responder_since, high_request,
            high_requested_at, low_is_responder, low_responder_since, low_request,
            low_requested_at, created_at
        FROM contacts
        UNION ALL
        SELECT high_id, low_id, low_is_responder, low_responder_since, low_request,
            low_requested_at, high_is_responder, high_responder_since, high_request,
            high_requested_at, created_at
        FROM contacts
        """,
        "DROP TABLE contacts",
        "ALTER TABLE new_contacts RENAME TO contacts",
    ]

    private static let pings = [
        // Two rows per ping: `user_id` is the responder in one and the dependent in the other.
        """
        CREATE TABLE new_pings (
            user_id BYTEA NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            id BYTEA NOT NULL CHECK (length(id) = 16),
            responder_id BYTEA NOT NULL,
            dependent_id BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            state TEXT NOT NULL,
            settled_at BIGINT,
            PRIMARY KEY (user_id, id, responder_id),
            CHECK (user_id = responder_id OR user_id = dependent_id),
            CHECK ((state = 'pending') = (settled_at IS NULL))
        ) /* clustered */
        """,
        """
        INSERT INTO new_pings (user_id, id, responder_id, dependent_id, created_at, expires_at,
            state, settled_at)
        SELECT responder_id, id, responder_id, dependent_id, created_at, expires_at, state,
            settled_at
        FROM pings
        UNION ALL
        SELECT dependent_id, id, responder_id, dependent_id, created_at, expires_at, state,
            settled_at
        FROM pings WHERE dependent_id <> responder_id
        """,
        "DROP TABLE pings",
        "ALTER TABLE new_pings RENAME TO pings",
        """
        CREATE UNIQUE INDEX pings_pending ON pings (user_id, responder_id, dependent_id)
        WHERE state = 'pending'
        """,
        "CREATE INDEX pings_by_time ON pings (user_id, created_at, id)",
        "CREATE INDEX pings_due ON pings (expires_at) WHERE state = 'pending'",
    ]
}
