import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// Migrates a database of version 31, whose notifications and deliveries are in key order.
@Suite struct AppendedRowsMigrationTests {
    private static let tables = ["notifications", "deliveries"]

    /// Returns a text for each row, with the values of all columns.
    private func rows(of table: String, in connection: some SQLConnection) throws -> [String] {
        let columns = try columns(of: table, in: connection)
        let all = columns.map { "quote(\($0.name))" }.joined(separator: " || ' ' || ")
        return try connection.values("SELECT \(all) FROM \(table) ORDER BY user_id, id", [])
    }

    private func columns(
        of table: String, in connection: some SQLConnection
    ) throws -> [(name: String, type: String)] {
        try connection.query(
            "SELECT name, type FROM pragma_table_info($1) ORDER BY cid", [.text(table)]
        ) { (name: try $0["name"], type: try $0["type"]) }
    }

    /// Inserts a row with another value in each column.
    private func insert(
        _ number: UInt8, of user: UserID, into table: String, in connection: some SQLConnection
    ) throws {
        let columns = try columns(of: table, in: connection)
        let values = columns.enumerated().map { index, column -> SQLValue in
            switch (column.name, column.type) {
            case ("user_id", _): .id(user)
            case ("id", _): .blob(Data(repeating: number, count: 16))
            case ("superseded", _): .integer(1)
            case (_, "BYTEA"): .blob(Data([number, UInt8(index)]))
            case (_, "TEXT"): .text("\(number) \(index)")
            default: .integer(Int64(number) * 1_000 + Int64(index))
            }
        }
        try connection.insert(into: table, columns.map(\.name), [values])
    }

    @Test func rowsKeepAllTheirValues() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 31)
            for (number, user) in [ada, ben].enumerated() {
                try connection.execute(
                    """
                    INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                    VALUES ($1, $2, '', '', '', 0)
                    """, [.id(user), .text("+1555000000\(number)")])
                for table in Self.tables {
                    for number: UInt8 in [9, 3, 6] {
                        try insert(number, of: user, into: table, in: connection)
                    }
                }
            }
            let before = try Self.tables.map { try rows(of: $0, in: connection) }
            #expect(before.map { Set($0).count } == [6, 6])
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 33)
            #expect(try Self.tables.map { try rows(of: $0, in: connection) } == before)
            try Migrator.checkForeignKeys(connection)
        }
    }

    /// A statement moves the people of four first bytes.
    @Test func rowsOfEveryFirstByteAreMoved() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 32)
            for byte in UInt8.min...UInt8.max {
                let person = UserID(
                    UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
                try insert(byte, of: person, into: "deliveries", in: connection)
            }
            let before = try rows(of: "deliveries", in: connection)
            #expect(before.count == 256)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 33)
            #expect(try rows(of: "deliveries", in: connection) == before)
        }
    }

    private func state(of connection: some SQLConnection) throws -> [String] {
        let schema: [String] = try connection.values(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name", [])
        return try Self.tables.flatMap { try rows(of: $0, in: connection) } + schema
    }

    /// The row of a person who doesn't exist fails, after the indexes were dropped.
    @Test func failureInTheMiddleChangesNothing() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            try failInTheMiddle(
                SQLiteConnection(database: database, path: ":memory:", now: noon))
        }
    }

    private func failInTheMiddle(_ connection: some SQLConnection) throws {
        try Migrator.migrate(connection, dialect: .sqlite, upTo: 32)
        try connection.execute("PRAGMA foreign_keys = OFF", [])
        for table in Self.tables { try insert(1, of: ada, into: table, in: connection) }
        try connection.execute("PRAGMA foreign_keys = ON", [])
        let before = try state(of: connection)
        #expect(throws: Persistence.DatabaseError.self) {
            try Migrator.migrate(connection, dialect: .sqlite)
        }
        #expect(try state(of: connection) == before)
        #expect(try Migrator.version(connection, dialect: .sqlite) == 32)
    }

    @Test func keysStayUnique() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite)
            try insert(1, of: ada, into: "deliveries", in: connection)
            try insert(1, of: ben, into: "deliveries", in: connection)
            #expect(throws: DatabaseError.uniqueViolation) {
                try insert(1, of: ada, into: "deliveries", in: connection)
            }
        }
    }
}
