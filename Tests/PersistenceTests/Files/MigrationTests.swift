import Foundation
import Testing

@testable import Persistence

@Suite struct MigrationTests {
    @Test func migrationsAreNumberedConsecutively() {
        #expect(Migrator.migrations.map(\.version) == Array(1...Migrator.newest))
    }

    @Test func eachMigrationIsOneTransaction() throws {
        let connection = Rehearsal(failingAt: nil)
        try Migrator.migrate(connection, dialect: .sqlite)
        // The fourth migration's `finish` finds no rows here, so it runs only this statement.
        let finish = [
            4: ["UPDATE alerts SET without_sms = 1 WHERE ended_at IS NULL AND started_at <= $1"]
        ]
        let statements = Migrator.migrations.map {
            ["BEGIN IMMEDIATE"] + $0.statements(for: .sqlite) + finish[$0.version, default: []]
                + [$0.version < 5 ? Rehearsal.entry : Rehearsal.fullEntry, "COMMIT"]
        }
        let withoutSettings = connection.executed.filter { !$0.hasPrefix("PRAGMA") }
        #expect(withoutSettings == statements.flatMap(\.self))
    }

    @Test(arguments: 0..<(Migration.first.statements.count + 3))
    func failedMigrationIsRolledBack(step: Int) throws {
        let connection = Rehearsal(failingAt: step)
        #expect(throws: DatabaseError.failed("rehearsed")) {
            try Migrator.migrate(connection, dialect: .sqlite)
        }
        #expect(connection.executed.count { $0 == "COMMIT" } == 0)
        #expect(connection.executed.last == (step == 0 ? nil : "ROLLBACK"))
    }

    @Test(arguments: Home.ofSQLite)
    func rowsAreStoredInKeyOrder(home: Home) async throws {
        try await withEngine(home) { engine in
            let withRowID = try await engine.read {
                try $0.values(
                    """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%' ORDER BY name
                    """,
                    []) as [String]
            }
            #expect(
                withRowID == [
                    "deliveries", "notifications", "pictures", "probes", "schema_versions",
                ])
        }
    }
}

/// An empty database that records its statements and can fail at any statement.
private final class Rehearsal: SQLConnection {
    static let entry = "INSERT INTO schema_versions (version) VALUES ($1)"
    static let fullEntry =
        "INSERT INTO schema_versions (version, oldest_program) VALUES ($1, $2)"
    private(set) var executed: [String] = []
    private var failingAt: Int?
    let now = noon

    init(failingAt: Int?) { self.failingAt = failingAt }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        if executed.count == failingAt {
            failingAt = nil
            throw DatabaseError.failed("rehearsed")
        }
        executed.append(sql)
        return 0
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    { [] }
}
