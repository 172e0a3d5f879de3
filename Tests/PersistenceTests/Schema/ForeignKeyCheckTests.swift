import Domain
import Testing

@testable import Persistence

/// The check after a migration that has rebuilt tables.
@Suite struct ForeignKeyCheckTests {
    @Test(arguments: Home.ofSQLite) func referenceToALostRowIsFound(home: Home) async throws {
        try await withEngine(home) { engine in
            try await engine.moveIn(ada, ben)
            let error = await #expect(throws: DatabaseError.self) {
                try await engine.write(about: .none) { transaction in
                    try transaction.execute("PRAGMA defer_foreign_keys = ON", [])
                    try transaction.execute(
                        "UPDATE users SET id = $1 WHERE id = $2",
                        [.id(cleo), .id(ada)])
                    try Migrator.checkForeignKeys(transaction)
                }
            }
            #expect(error?.description.contains("a foreign key of ") == true)
        }
    }

    @Test(arguments: Home.ofSQLite) func wholeDatabasePasses(home: Home) async throws {
        try await withEngine(home) { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: .none) { try Migrator.checkForeignKeys($0) }
        }
    }
}
