import Foundation

/// The PostgreSQL side of a transfer. Servers reject the database while the table
/// `unfinished_transfer` exists.
struct TransferTarget: TransferSide {
    enum State: Equatable { case ready, holdsData }

    /// Tables that `PostgreSQLSchema` fills, so they have rows before the copy.
    private static let ownTables: Set = ["lock_slots", "schema_versions"]

    private let connection: PostgreSQLConnection
    private let address: PostgreSQLAddress
    var dialect: Dialect { .postgreSQL }

    /// Connects without writing. Throws for another program's database and for a newer schema.
    init(_ address: PostgreSQLAddress) throws {
        self.address = address
        connection = try PostgreSQLConnection(address, limits: PostgreSQLSchema.limits)
        connection.startReading(by: { Date() })
        let tables = try PostgreSQLSchema.tables(connection)
        try PostgreSQLSchema.checkAreOurs(tables, address)
        _ = try Migrator.version(connection, dialect: .postgreSQL)
    }

    var holdsData: DatabaseError {
        .cannotOpen(
            path: address.description,
            reason: """
                it holds data already, and a migration only fills an empty database. Create one: \
                createdb NAME
                """)
    }

    // MARK: Beginning and end

    /// Migrates the schema and marks the database as unfinished, or resumes a transfer from the
    /// same source.
    /// - Parameter source: the source's fingerprint.
    func begin(source: Int64) throws -> State {
        let tables = try PostgreSQLSchema.tables(connection)
        if tables.contains(PostgreSQLSchema.unfinishedTransfer) {
            let begun: Int64? = try connection.value(
                "SELECT source FROM \(PostgreSQLSchema.unfinishedTransfer)", [])
            guard begun == source else {
                throw DatabaseError.cannotOpen(
                    path: address.description,
                    reason: """
                        it holds part of another SQLite file, or of this one before a server ran \
                        on it again. Start again with an empty database: dropdb NAME; createdb \
                        NAME
                        """)
            }
            try PostgreSQLSchema.update(connection)
            return .ready
        }
        guard try !holdsRows(in: tables) else { return .holdsData }
        try PostgreSQLSchema.update(connection)
        return try write {
            // A server may be starting. Either its first rows are found here, or it finds the table
            // `unfinished_transfer` later: see `Transfer.checkNoneIsUnfinished`.
            try connection.execute("LOCK TABLE server_state IN EXCLUSIVE MODE", [])
            guard try !holdsRows(in: try PostgreSQLSchema.tables(connection)) else {
                return .holdsData
            }
            try connection.execute(
                """
                CREATE TABLE \(PostgreSQLSchema.unfinishedTransfer)
                (source BIGINT NOT NULL PRIMARY KEY)
                """, [])
            try connection.execute(
                "INSERT INTO \(PostgreSQLSchema.unfinishedTransfer) (source) VALUES ($1)",
                [.integer(source)])
            return .ready
        }
    }

    private func holdsRows(in tables: [String]) throws -> Bool {
        try tables.contains { table in
            try !Self.ownTables.contains(table)
                && connection.hasRow(#"SELECT 1 FROM "\#(table)" LIMIT 1"#, [])
        }
    }

    /// Derives the data that only PostgreSQL keeps, and opens the database to servers.
    func finish(_ tables: [TransferTable]) throws {
        try write {
            if !tables.contains(where: { $0.name == "event_numbers" }) {
                try connection.execute(
                    """
                    INSERT INTO event_numbers (user_id, newest)
                    SELECT user_id, MAX(sequence) FROM events GROUP BY user_id
                    """, [])
            }
            try connection.execute("DROP TABLE \(PostgreSQLSchema.unfinishedTransfer)", [])
        }
        // Gathers statistics for the query planner. PostgreSQL would do so only minutes later.
        try connection.execute("ANALYZE", [])
    }

    // MARK: Rows

    /// Inserts rows in one transaction. Existing rows stay unchanged.
    func insert(_ rows: [[SQLValue]], into table: TransferTable) throws {
        let statement = table.insert
        try write { for row in rows { try connection.send(statement, row) } }
    }

    /// Returns the key of the last row, where a killed transfer stopped; nil for an empty table.
    func lastKey(of table: TransferTable) throws -> [SQLValue]? {
        // `PostgreSQLSchema` fills these tables, so their last key doesn't tell what was copied.
        guard !Self.ownTables.contains(table.name) else { return nil }
        return try connection.first(table.last(in: .postgreSQL), []) {
            try table.read(table.key, of: $0)
        }
    }

    func rows(of table: TransferTable) throws -> Int {
        Self.ownTables.contains(table.name) ? 0 : try connection.count(table.count, [])
    }

    /// Returns true if every table has as many rows as in the source.
    func hasRows(_ counts: [String: Int], of tables: [TransferTable]) throws -> Bool {
        let known = Set(try PostgreSQLSchema.tables(connection))
        return try tables.allSatisfy { table in
            try known.contains(table.name)
                && connection.count(table.count, []) == counts[table.name]
        }
    }

    func reading<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try body(connection)
    }

    private func write<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.begin(by: { Date() })
        do {
            let value = try body()
            try connection.commit()
            return value
        } catch {
            connection.rollBack()
            throw error
        }
    }
}
