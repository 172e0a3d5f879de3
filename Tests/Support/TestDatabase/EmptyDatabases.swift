import Domain
import Foundation
import Persistence
import Synchronization

/// Databases in memory that tests use one after another. A test gets one without rows, whose
/// statements are compiled already: compiling took a quarter of their CPU time.
final class EmptyDatabases: Sendable {
    /// One for each test that runs at the same time, and some for tests with several.
    private static let limit = 24
    /// A larger database takes longer to empty than a new one to make.
    private static let mostPages = 2_000

    private let hasBystanders: Bool
    private let known = Mutex<[Known]>([])

    init(hasBystanders: Bool) { self.hasBystanders = hasBystanders }

    private struct Known {
        var database: InMemoryDatabase
        /// Changes with each change of the schema.
        let version: Int
        /// The tables whose rows a test may leave, children before their parents.
        let tables: [String]
    }

    /// Returns a database that no engine uses, empty.
    func next() throws -> InMemoryDatabase {
        while let used = takeUnused() {
            guard (try? empty(used)) == true else { continue }
            return keep(used)
        }
        let database = try InMemoryDatabase()
        return keep(
            try database.run(now: .distantPast) { connection in
                if hasBystanders { try Bystanders.install(in: connection) }
                return Known(
                    database: database, version: try Self.version(of: connection),
                    tables: try Self.tables(of: connection))
            })
    }

    /// Takes a database out of the list. Its engine is gone if only the list refers to it.
    private func takeUnused() -> Known? {
        known.withLock { known in
            for index in known.indices
            where isKnownUniquelyReferenced(&known[index].database) {
                return known.remove(at: index)
            }
            return nil
        }
    }

    private func keep(_ one: Known) -> InMemoryDatabase {
        known.withLock { if $0.count < Self.limit { $0.append(one) } }
        return one.database
    }

    /// Deletes all rows. Returns false if the database must not be used again.
    private func empty(_ one: Known) throws -> Bool {
        try one.database.run(now: .distantPast) { connection in
            guard try Self.version(of: connection) == one.version,
                try connection.count("PRAGMA page_count", []) < Self.mostPages
            else { return false }
            try connection.execute("BEGIN", [])
            if hasBystanders {
                try connection.execute("UPDATE bystander_turns SET is_on = 1", [])
            }
            for table in one.tables { try connection.execute("DELETE FROM \(table)", []) }
            if hasBystanders {
                try connection.execute("UPDATE bystander_turns SET is_on = 0", [])
            }
            try connection.execute("COMMIT", [])
            return true
        }
    }

    private static func version(of connection: any SQLConnection) throws -> Int {
        try connection.count("PRAGMA schema_version", [])
    }

    private static func tables(of connection: any SQLConnection) throws -> [String] {
        let all = try connection.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", []
        ) { try $0["name"] as String }
        // Rows of a new database belong to its schema.
        var left = try all.filter { try connection.count("SELECT COUNT(*) FROM \($0)", []) == 0 }
        var parents: [String: Set<String>] = [:]
        for table in left {
            let found = try connection.query(
                "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1)", [.text(table)]
            ) { try $0["table"] as String }
            parents[table] = Set(found).subtracting([table])
        }
        var tables: [String] = []
        while let next = left.firstIndex(where: { table in
            left.allSatisfy { parents[$0]?.contains(table) != true }
        }) {
            tables.append(left.remove(at: next))
        }
        // Tables that refer to each other need ON DELETE CASCADE.
        return tables + left
    }
}
