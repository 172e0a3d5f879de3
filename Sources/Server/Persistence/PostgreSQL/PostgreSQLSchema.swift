import Domain
import Foundation

/// The schema of a PostgreSQL database: the tables of the numbered migrations, and those of
/// `createLocks`.
enum PostgreSQLSchema {
    private static let tries = 3

    /// A table that exists only while a transfer from SQLite is unfinished.
    static let unfinishedTransfer = "unfinished_transfer"

    /// Limits for migrations, whose time depends on the size of the tables. `idle` is longer,
    /// because a migration may compute values in Swift between two statements.
    static let limits = PostgreSQLConnection.Limits(
        statement: .seconds(1_800), commit: .seconds(120), lock: .seconds(1_800),
        idle: .seconds(60))
    /// How many times a migration is tried while other servers hold locks.
    private static let migrationTries = 10

    /// Updates the schema. Throws the errors of `checkIsOurs`, and `newerVersion`.
    /// - Parameter mayMigrate: false to throw `noTables` or `olderVersion` in place of an update.
    static func prepare(
        _ connection: PostgreSQLConnection, _ address: PostgreSQLAddress, mayMigrate: Bool
    ) throws {
        try checkIsOurs(connection, address)
        // Skips an up-to-date schema, because the role may lack the permission to create tables.
        guard try !isUpToDate(connection) else { return }
        guard mayMigrate else {
            let version = try Migrator.version(connection, dialect: .postgreSQL)
            throw version == 0
                ? DatabaseError.noTables(path: address.description)
                : .olderVersion(found: version, known: Migrator.newest)
        }
        let patient = try PostgreSQLConnection(address, limits: limits)
        patient.startReading(by: { connection.now })
        try update(patient)
    }

    private static func isUpToDate(_ connection: PostgreSQLConnection) throws -> Bool {
        guard try tables(connection).contains("event_numbers"),
            try connection.count("SELECT COUNT(*) FROM lock_slots", []) > Subjects.migrationSlot
        else { return false }
        return try Migrator.version(connection, dialect: .postgreSQL) >= Migrator.newest
    }

    static func update(_ connection: PostgreSQLConnection) throws {
        try createLocks(connection)
        for attempt in 1...migrationTries {
            do {
                return try Migrator.migrate(connection, dialect: .postgreSQL)
            } catch DatabaseError.conflict where attempt < migrationTries {
                // Lets the writes that queue behind the migration go first.
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    /// Returns the names of tables and views, except those of extensions.
    static func tables(_ connection: PostgreSQLConnection) throws -> [String] {
        try connection.values(
            """
            SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.deptype = 'e'
                    AND d.classid = 'pg_class'::regclass AND d.objid = c.oid)
            """, [])
    }

    /// Throws `DatabaseError.cannotOpen` if the database belongs to another program, or if a
    /// transfer into it is unfinished.
    static func checkIsOurs(
        _ connection: PostgreSQLConnection, _ address: PostgreSQLAddress
    ) throws {
        let tables = try tables(connection)
        try checkAreOurs(tables, address)
        guard !tables.contains(unfinishedTransfer) else {
            throw DatabaseError.cannotOpen(
                path: address.description,
                reason: """
                    a migration from SQLite has not finished. Run it again; it continues where it \
                    stopped: lifesignal migrate --from FILE --to URL
                    """)
        }
    }

    static func checkAreOurs(_ tables: [String], _ address: PostgreSQLAddress) throws {
        guard tables.isEmpty || tables.contains("lock_slots") else {
            throw DatabaseError.cannotOpen(
                path: address.description,
                reason: """
                    it holds tables of another program. Create a database for LifeSignal: \
                    createdb lifesignal
                    """)
        }
    }

    /// Creates the tables for locks and event numbers. Retries if another server creates the table
    /// at the same time: `IF NOT EXISTS` then fails with 23505, 42P07 or 42710.
    private static func createLocks(_ connection: PostgreSQLConnection) throws {
        for attempt in 1...tries {
            do {
                try connection.execute("BEGIN", [])
                try connection.execute(
                    "CREATE TABLE IF NOT EXISTS lock_slots (slot BIGINT NOT NULL PRIMARY KEY)", [])
                try connection.execute(
                    """
                    CREATE TABLE IF NOT EXISTS event_numbers (
                        user_id BYTEA NOT NULL PRIMARY KEY,
                        newest BIGINT NOT NULL
                    )
                    """, [])
                try connection.execute(
                    """
                    INSERT INTO lock_slots (slot) SELECT * FROM generate_series(0, $1)
                    ON CONFLICT (slot) DO NOTHING
                    """, [.int(Subjects.migrationSlot)])
                return try connection.commit()
            } catch DatabaseError.uniqueViolation where attempt < tries,
                DatabaseError.failed where attempt < tries
            {
                connection.rollBack()
            }
        }
    }
}

/// A connection for statements such as CREATE DATABASE, which must run outside transactions.
public struct PostgreSQLAdministrator {
    private let connection: PostgreSQLConnection

    /// Throws `DatabaseError.unreachable`.
    public init(_ address: PostgreSQLAddress) throws {
        connection = try PostgreSQLConnection(address, limits: .init())
    }

    public func run(_ statement: String) throws { try connection.execute(statement, []) }
}
