import Foundation
import Testing

@testable import Persistence

@Suite struct TransferTableTests {
    @Test func tablesFollowTheirParents() async throws {
        try await withEngine(.memory) { engine in
            let tables = try engine.reading { try TransferTable.all(in: $0) }
            var seen: Set<String> = []
            for table in tables {
                #expect(table.parents.isSubset(of: seen), "\(table.name)")
                seen.insert(table.name)
            }
            #expect(seen.isSuperset(of: ["users", "schedules", "events", "server_state"]))
        }
    }

    @Test func keyHasPrimaryKeyOrder() async throws {
        try await withEngine(.memory) { engine in
            _ = try await engine.write(about: .none) {
                try $0.execute(
                    """
                    CREATE TABLE stones (weight BIGINT NOT NULL, name TEXT NOT NULL,
                    mark BYTEA, PRIMARY KEY (name, weight))
                    """, [])
            }
            let stones = try engine.table("stones")
            #expect(stones.key.map(\.name) == ["name", "weight"])
            #expect(stones.columns.map(\.kind) == [.integer, .text, .bytes])
            #expect(
                stones.page(isFirst: false, in: .postgreSQL).hasSuffix(
                    """
                    WHERE ("name" COLLATE "C", "weight") > ($1, $2)
                    ORDER BY "name" COLLATE "C", "weight" LIMIT $3
                    """))
        }
    }

    @Test(arguments: ["CREATE TABLE odd (id BIGINT)", "CREATE TABLE odd (id REAL PRIMARY KEY)"])
    func errorNamesUncopyableTable(statement: String) async throws {
        try await withEngine(.memory) { engine in
            _ = try await engine.write(about: .none) { try $0.execute(statement, []) }
            let error = try #require(throws: DatabaseError.self) {
                try engine.reading { try TransferTable.all(in: $0) }
            }
            #expect("\(error)".contains("odd has"))
        }
    }

    @Test func pagesContainEveryRowOnceInOrder() async throws {
        try await withEngine(.memory) { engine in
            try await engine.write(about: .none) { transaction in
                try transaction.execute(
                    "CREATE TABLE grid (x BIGINT, y BIGINT, data BYTEA, PRIMARY KEY (x, y))", [])
                for number in 0..<500 {
                    try transaction.execute(
                        "INSERT INTO grid (x, y, data) VALUES ($1, $2, $3)",
                        [
                            .int(number / 20), .int(number % 20),
                            .blob(Data(count: number < 100 ? 100_000 : 1)),
                        ])
                }
            }
            let grid = try engine.table("grid")
            var (found, sizes) = ([SQLValue](), [Int]())
            try engine.pages(of: grid) { rows in
                found += rows.flatMap { $0.prefix(2) }
                sizes.append(rows.count)
            }
            let everyKey: [SQLValue] = (0..<500).flatMap { number -> [SQLValue] in
                [.int(number / 20), .int(number % 20)]
            }
            #expect(found == everyKey)
            // Each page after the first has about a megabyte.
            #expect(sizes.prefix(3) == [32, 10, 10])
            #expect(sizes.last ?? 0 > 100)

            var rest = 0
            try engine.pages(of: grid, after: [.int(24), .int(16)]) { rest += $0.count }
            #expect(rest == 3)
        }
    }

    @Test func checksumsDistinguishValues() {
        let rows: [[SQLValue]] = [
            [], [.null], [.text("")], [.blob(Data())], [.integer(0)], [.text("a"), .text("b")],
            [.text("ab"), .text("")], [.blob(Data([0])), .null], [.text("b"), .text("a")],
        ]
        var hashes: Set<UInt64> = []
        for row in rows {
            var digest = TransferDigest()
            digest.add(row)
            hashes.insert(digest.hash)
        }
        #expect(hashes.count == rows.count)
        let id = UUID()
        var (ids, bytes) = (TransferDigest(), TransferDigest())
        ids.add([.uuid(id)])
        bytes.add([.blob(withUnsafeBytes(of: id.uuid) { Data($0) })])
        #expect(ids == bytes)
    }
}

extension SQLiteEngine {
    func table(_ name: String) throws -> TransferTable {
        try #require(
            try reading { try TransferTable.all(in: $0) }.first { $0.name == name })
    }
}
