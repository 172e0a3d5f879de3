import Foundation

/// The few words in which the engines differ.
public enum Dialect: Sendable {
    case sqlite
    case postgreSQL

    /// A table whose rows lie in the order of their primary key. PostgreSQL reads the mark as a
    /// comment.
    func prepare(_ sql: String) -> String {
        switch self {
        case .sqlite: sql.replacing("/* clustered */", with: "WITHOUT ROWID")
        case .postgreSQL: sql
        }
    }

    /// Begins a transaction that no other server's migration runs beside.
    var begin: [String] {
        switch self {
        case .sqlite: ["BEGIN IMMEDIATE"]
        case .postgreSQL:
            ["BEGIN", "SELECT 1 FROM lock_slots WHERE slot = \(Subjects.migrationSlot) FOR UPDATE"]
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
    /// Work that statements alone can't do, run after them in the same transaction.
    var finish: @Sendable (any SQLConnection) throws -> Void = { _ in }
}

/// Brings the schema up to date, one numbered migration a transaction. A migration that has shipped
/// is never edited.
enum Migrator {
    static let migrations: [Migration] = [.first, .second, .third, .fourth]

    static var newest: Int { migrations.last?.version ?? 0 }

    static func migrate(
        _ connection: some SQLConnection, dialect: Dialect, upTo last: Int = newest
    ) throws {
        let current = try version(connection, dialect: dialect)
        for migration in migrations where migration.version > current && migration.version <= last {
            for statement in dialect.begin { try connection.execute(statement, []) }
            do {
                // Another server may have been first.
                guard try version(connection, dialect: dialect) < migration.version else {
                    try connection.execute("ROLLBACK", [])
                    continue
                }
                for statement in migration.statements {
                    try connection.execute(dialect.prepare(statement), [])
                }
                try migration.finish(connection)
                try connection.execute(
                    "INSERT INTO schema_versions (version) VALUES ($1)", [.int(migration.version)])
                try connection.execute("COMMIT", [])
            } catch {
                _ = try? connection.execute("ROLLBACK", [])
                throw error
            }
        }
    }

    /// 0 for an empty database. Throws `newerVersion` for a schema from the future, before anything
    /// is written.
    static func version(_ connection: some SQLConnection, dialect: Dialect) throws -> Int {
        guard
            try connection.first(dialect.tableExists, [.text("schema_versions")], { _ in true })
                == true
        else { return 0 }
        let version = try connection.count(
            "SELECT COALESCE(MAX(version), 0) FROM schema_versions", [])
        guard version <= newest else {
            throw DatabaseError.newerVersion(found: version, known: newest)
        }
        return version
    }
}
