import GRDB

/// The tables of a local copy. Ids are 16 bytes; times are milliseconds since 1970 UTC. Long lists
/// use columns, because reading a thousand JSON texts at launch would be slow.
enum LocalCopySchema {
    static func migrations(_ migrator: inout DatabaseMigrator) {
        // A migration that has shipped is never edited.
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE owner (user_id BLOB NOT NULL CHECK (length(user_id) = 16),
                        synced_at INTEGER);
                    CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY,
                        value TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE singles (name TEXT NOT NULL PRIMARY KEY,
                        json TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE alerts (id BLOB NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL,
                        json TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE contacts (
                        id BLOB NOT NULL PRIMARY KEY, name TEXT NOT NULL,
                        phone_number TEXT NOT NULL, picture_url TEXT,
                        is_responder INTEGER NOT NULL, is_dependent INTEGER NOT NULL,
                        date_added INTEGER NOT NULL,
                        has_pending_ping INTEGER NOT NULL, pinged_at INTEGER,
                        emergency_note TEXT, last_check_in_at INTEGER, next_check_in_at INTEGER,
                        interval_seconds INTEGER, status TEXT
                    ) WITHOUT ROWID;
                    CREATE TABLE pings (
                        id BLOB NOT NULL PRIMARY KEY, responder_id BLOB NOT NULL,
                        dependent_id BLOB NOT NULL, created_at INTEGER NOT NULL,
                        state TEXT NOT NULL, settled_at INTEGER
                    ) WITHOUT ROWID;
                    CREATE TABLE check_ins (
                        id BLOB NOT NULL PRIMARY KEY, occurred_at INTEGER NOT NULL,
                        received_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE notifications (
                        id BLOB NOT NULL PRIMARY KEY, type TEXT NOT NULL, title TEXT NOT NULL,
                        body TEXT NOT NULL,
                        created_at INTEGER NOT NULL, read_at INTEGER, about_user_id BLOB,
                        alert_id BLOB, ping_id BLOB
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { try $0.execute(sql: second) }
        migrator.registerMigration("3") { try $0.execute(sql: third) }
        migrator.registerMigration("4") { try $0.execute(sql: fourth) }
        migrator.registerMigration("sources") { try $0.execute(sql: sources) }
        migrator.registerMigration("sessions") { try $0.execute(sql: sessions) }
        migrator.registerMigration("kinds") { try $0.execute(sql: kinds) }
        migrator.registerMigration("zones") { try $0.execute(sql: zones) }
    }

    private static let second = """
        ALTER TABLE contacts ADD COLUMN requests TEXT NOT NULL DEFAULT '[]';
        """

    /// A check-in without a deadline has a `deadline_at` of 0, because the column is NOT NULL.
    private static let third = """
        ALTER TABLE contacts ADD COLUMN plan TEXT;
        ALTER TABLE contacts ADD COLUMN paused_until INTEGER;
        ALTER TABLE check_ins ADD COLUMN opens_at INTEGER;
        """

    private static let fourth = """
        ALTER TABLE contacts ADD COLUMN journey TEXT;
        """

    private static let sources = """
        ALTER TABLE check_ins ADD COLUMN source TEXT;
        """

    /// Without a session, a notification about this device's own sign-in is shown after a restart.
    private static let sessions = """
        ALTER TABLE notifications ADD COLUMN session_id BLOB;
        ALTER TABLE contacts ADD COLUMN position INTEGER;
        """

    private static let kinds = """
        ALTER TABLE notifications ADD COLUMN kind TEXT;
        """

    private static let zones = """
        ALTER TABLE contacts ADD COLUMN time_zone TEXT;
        """

    /// Deletes everything of a user, and overwrites it in the file.
    static func wipe(_ database: Database) throws {
        try database.execute(sql: "PRAGMA secure_delete = ON")
        for table in [
            "owner", "settings", "singles", "alerts", "contacts", "pings", "check_ins",
            "notifications",
        ] {
            try database.execute(sql: "DELETE FROM \(table)")
        }
    }
}
