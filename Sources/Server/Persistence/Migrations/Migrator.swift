import Foundation

/// The differences between the engines' SQL.
public enum Dialect: Sendable {
    case sqlite
    case postgreSQL

    /// Translates the comment that marks a table whose rows are stored in primary-key order.
    /// PostgreSQL ignores the comment.
    func prepare(_ sql: String) -> String {
        switch self {
        case .sqlite: sql.replacing("/* clustered */", with: "WITHOUT ROWID")
        case .postgreSQL: sql
        }
    }

    /// The statements that begin a migration's transaction. They wait until another server's
    /// migration ends. They wait only briefly for a table lock, because writes to the table queue
    /// behind a waiting migration.
    var begin: [String] {
        switch self {
        case .sqlite: ["BEGIN IMMEDIATE"]
        case .postgreSQL:
            [
                "BEGIN",
                "SELECT 1 FROM lock_slots WHERE slot = \(Subjects.migrationSlot) FOR UPDATE",
                "SET LOCAL lock_timeout TO \(PostgreSQLConnection.Limits().lock.milliseconds)",
            ]
        }
    }

    var tableExists: String {
        switch self {
        case .sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1"
        case .postgreSQL:
            """
            SELECT 1 FROM information_schema.tables
            WHERE table_schema = current_schema() AND table_name = $1
            """
        }
    }
}

struct Migration: Sendable {
    var version: Int
    var statements: [String]
    /// Statements for one dialect, run before `statements`.
    var first: [Dialect: [String]] = [:]
    /// Tables that SQLite must rebuild. Foreign keys are off during the migration, because dropping
    /// a table would delete the rows that refer to it. They are checked at the end.
    var rebuilt: [String] = []
    /// The oldest server version that may use the database after this migration. If it is lower
    /// than `version`, servers can be replaced one at a time.
    var oldestProgram: Int
    /// Runs after the statements, in the same transaction.
    var finish: @Sendable (any SQLConnection) throws -> Void

    init(
        version: Int, statements: [String], first: [Dialect: [String]] = [:],
        rebuilt: [String] = [], oldestProgram: Int? = nil,
        finish: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) {
        self.version = version
        self.statements = statements
        self.first = first
        self.rebuilt = rebuilt
        self.finish = finish
        self.oldestProgram = oldestProgram ?? version
    }

    func statements(for dialect: Dialect) -> [String] {
        (first[dialect, default: []] + statements).map(dialect.prepare)
    }
}

/// Updates the schema with one transaction per migration. A migration that has shipped is never
/// edited.
enum Migrator {
    static let migrations: [Migration] = [
        .first, .second, .third, .fourth, .fifth, .sixth, .ladder, .reach, .appEndpoints,
        .reachability, .timeZones, .drills, .invitations, .answers, .invitedAddresses,
        .alarmsFirst, .newsOfAPerson, .silence, .notifiedSessions, .newNumbers, .refusals,
        .alertPasses, .alertEnds, .plans, .journeys, .sources, .firestore, .signUp,
        .administration, .webhookTemplates, .signInSecurity, .shortRows, .appendedRows,
        .numberMoveSessions, .notificationKinds, .sentMessages,
    ]

    static var newest: Int { migrations.last?.version ?? 0 }
    /// The first schema version whose row records `oldest_program`.
    private static let firstWithOldestProgram = 5

    static func migrate(
        _ connection: some SQLConnection, dialect: Dialect, upTo last: Int = newest
    ) throws {
        let current = try version(connection, dialect: dialect)
        for migration in migrations where migration.version > current && migration.version <= last {
            guard dialect == .sqlite, !migration.rebuilt.isEmpty else {
                try run(migration, on: connection, dialect)
                continue
            }
            // SQLite ignores this setting inside a transaction, so it is set before.
            try connection.execute("PRAGMA foreign_keys = OFF", [])
            defer { _ = try? connection.execute("PRAGMA foreign_keys = ON", []) }
            guard try connection.count("PRAGMA foreign_keys", []) == 0 else {
                throw DatabaseError.failed("foreign keys can't be switched off here")
            }
            try run(migration, on: connection, dialect)
        }
    }

    private static func run(
        _ migration: Migration, on connection: some SQLConnection, _ dialect: Dialect
    ) throws {
        for statement in dialect.begin { try connection.execute(statement, []) }
        do {
            // Another server may have migrated first.
            guard try version(connection, dialect: dialect) < migration.version else {
                try connection.execute("ROLLBACK", [])
                return
            }
            for statement in migration.statements(for: dialect) {
                try connection.execute(statement, [])
            }
            try migration.finish(connection)
            if dialect == .sqlite, !migration.rebuilt.isEmpty { try checkForeignKeys(connection) }
            try enter(migration, connection)
            try connection.execute("COMMIT", [])
        } catch {
            _ = try? connection.execute("ROLLBACK", [])
            throw error
        }
    }

    /// Checks the references of all tables. A rebuilt table that lost a row breaks references from
    /// tables that were not rebuilt.
    static func checkForeignKeys(_ connection: some SQLConnection) throws {
        let broken: String? = try connection.value(
            """
            SELECT "table" AS broken FROM pragma_foreign_key_check LIMIT 1
            """, [])
        if let broken { throw DatabaseError.constraintViolation("a foreign key of \(broken)") }
    }

    private static func enter(_ migration: Migration, _ connection: some SQLConnection) throws {
        guard migration.version >= firstWithOldestProgram else {
            try connection.execute(
                "INSERT INTO schema_versions (version) VALUES ($1)", [.int(migration.version)])
            return
        }
        try connection.execute(
            "INSERT INTO schema_versions (version, oldest_program) VALUES ($1, $2)",
            [.int(migration.version), .int(migration.oldestProgram)])
    }

    /// Returns the schema version; 0 for an empty database. Throws `newerVersion` if the schema is
    /// too new for this server.
    static func version(_ connection: some SQLConnection, dialect: Dialect) throws -> Int {
        guard
            try connection.first(dialect.tableExists, [.text("schema_versions")], { _ in true })
                == true
        else { return 0 }
        let version = try connection.count(
            "SELECT COALESCE(MAX(version), 0) FROM schema_versions", [])
        guard version > newest else { return version }
        let oldest: Int? = try connection.value(
            "SELECT oldest_program FROM schema_versions WHERE version = $1", [.int(version)])
        guard let oldest, oldest <= newest else {
            throw DatabaseError.newerVersion(found: version, known: newest)
        }
        return version
    }
}
