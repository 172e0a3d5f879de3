import Domain
import Foundation

/// The tables of a PostgreSQL database: those of every engine by numbered migrations, and one of
/// PostgreSQL's own for locks.
enum PostgreSQLSchema {
    private static let tries = 3

    /// Exists from the beginning of a transfer from SQLite to its end.
    static let unfinishedTransfer = "unfinished_transfer"

    /// A migration takes as long as the tables are large, and another server waits until it ends.
    static let limits = PostgreSQLConnection.Limits(
        statement: .seconds(1_800), commit: .seconds(120), lock: .seconds(1_800))

    /// Brings the schema up to date. Throws what `checkIsOurs` does, and `newerVersion` for a
    /// schema from the future.
    static func prepare(
        _ connection: PostgreSQLConnection, _ address: PostgreSQLAddress
    ) throws {
        try checkIsOurs(connection, address)
        // Nothing is created in vain: that would need a right that a server can do without.
        guard try !isUpToDate(connection) else { return }
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
        try Migrator.migrate(connection, dialect: .postgreSQL)
    }

    static func tables(_ connection: PostgreSQLConnection) throws -> [String] {
        try connection.values(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = current_schema()
            """, [])
    }

    /// Throws `DatabaseError.cannotOpen` for the database of another program, and for one that a
    /// transfer has filled in part.
    static func checkIsOurs(
        _ connection: PostgreSQLConnection, _ address: PostgreSQLAddress
    ) throws {
        let tables = try tables(connection)
        try checkAreOurs(tables, address)
        guard !tables.contains(unfinishedTransfer) else {
            throw DatabaseError.cannotOpen(
                path: address.description,
                reason: """
                    a migration from SQLite has not finished. Run it again; it goes on where it \
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

    /// Two servers that start at once may both try, and one of them finds the other's table:
    /// `IF NOT EXISTS` refuses one that appears between its look and its creation, as 23505, 42P07
    /// or 42710.
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

/// One connection for statements about whole databases, which run outside of transactions.
public struct PostgreSQLAdministrator {
    private let connection: PostgreSQLConnection

    /// Throws `DatabaseError.unreachable`.
    public init(_ address: PostgreSQLAddress) throws {
        connection = try PostgreSQLConnection(address, limits: .init())
    }

    public func run(_ statement: String) throws { try connection.execute(statement, []) }
}
