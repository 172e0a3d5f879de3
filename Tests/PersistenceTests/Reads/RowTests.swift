import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct RowTests {
    private static let everyType = """
        SELECT 7 AS number, 'seven' AS name, X'0102' AS bytes, NULL AS absent, 1 AS flag,
            1000 AS time, $1 AS id
        """

    private func read<Value: Sendable>(
        _ sql: String = everyType, _ values: [SQLValue] = [.id(ada)],
        _ read: @escaping @Sendable (SQLRow) throws -> Value
    ) async throws -> Value {
        let engine = try SQLiteEngine()
        defer { try? engine.close() }
        return try #require(try await engine.read { try $0.first(sql, values, read) })
    }

    @Test func eachTypeIsReadByColumnName() async throws {
        try await read { row in
            try #expect(row["number"] == 7)
            try #expect(row["number"] == Int64(7))
            try #expect(row["name"] == "seven")
            try #expect(row["bytes"] == Data([1, 2]))
            try #expect(row["flag"] == true)
            try #expect(row["time"] == Date(milliseconds: 1_000))
            try #expect(row["id"] == ada)
        }
    }

    @Test(arguments: [true, false]) func readRejectsAWrite(isInMemory: Bool) async throws {
        let folder = try TestFolder()
        let engine = try isInMemory ? SQLiteEngine() : SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        let path = isInMemory ? ":memory:" : folder.file()
        await #expect(throws: DatabaseError.readOnly(path: path)) {
            try await engine.read { _ = try $0.execute("DELETE FROM users", []) }
        }
        #expect(try await engine.read { try $0.user(ada) } != nil)
        try engine.close()
    }

    @Test func columnsCanBeReadInAnyOrder() async throws {
        try await read { row in
            for _ in 1...2 {
                try #expect(row["flag"] == true)
                try #expect(row["name"] == "seven")
                try #expect(row["id"] == ada)
                try #expect(row["number"] == 7)
            }
        }
    }

    @Test func everyRowIsReadSeparately() async throws {
        let engine = try SQLiteEngine()
        defer { try? engine.close() }
        let rows = try await engine.read {
            try $0.query("SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4", []) {
                [try $0["b"] as Int, try $0["a"] as Int]
            }
        }
        #expect(rows == [[2, 1], [4, 3]])
    }

    @Test func optionalReadsNull() async throws {
        try await read { row in
            try #expect(row["absent"] as Int? == nil)
            try #expect(row["absent"] as String? == nil)
            try #expect(row["absent"] as UserID? == nil)
            try #expect(row["number"] as Int? == 7)
            try #expect(row.isNull("absent") && !row.isNull("number"))
        }
    }

    @Test func errorNamesMissingColumn() async throws {
        await #expect(throws: DatabaseError.unreadable("there is no column size")) {
            try await read { try $0["size"] as Int }
        }
        await #expect(throws: DatabaseError.unreadable("there is no column size")) {
            try await read { try $0["size"] as Int? }
        }
    }

    @Test func wrongTypeIsRejected() async throws {
        func expect<Value: SQLReadable & Sendable>(
            _ type: Value.Type, of column: String, _ reason: String
        ) async {
            await #expect(throws: DatabaseError.unreadable("\(column) holds \(reason)")) {
                try await read { try $0[column] as Value }
            }
        }
        await expect(Int.self, of: "name", "text, not an integer")
        await expect(Date.self, of: "absent", "NULL, not an integer")
        await expect(String.self, of: "number", "an integer, not text")
        await expect(String?.self, of: "number", "an integer, not text")
        await expect(Data.self, of: "name", "text, not bytes")
        await expect(UserID.self, of: "bytes", "bytes, not 16 bytes")
        await expect(UserID.self, of: "absent", "NULL, not 16 bytes")
    }

    @Test func onlyColumnNeedsNoName() async throws {
        let engine = try SQLiteEngine()
        defer { try? engine.close() }
        try await engine.read { connection in
            try #expect(connection.value("SELECT 7", []) == 7)
            try #expect(connection.value("SELECT NULL", []) as Int? == nil)
            try #expect(connection.value("SELECT 7 WHERE 0", []) as Int? == nil)
            try #expect(connection.values("SELECT 7 UNION SELECT 8", []) == [7, 8])
            try #expect(connection.count("SELECT COUNT(*) FROM users", []) == 0)
            try #expect(!connection.hasRow("SELECT 1 FROM users", []))
        }
    }
}
