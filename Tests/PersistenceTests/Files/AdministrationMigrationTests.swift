import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// Migrates a database of version 26, which has no index of names.
@Suite struct AdministrationMigrationTests {
    @Test func existingNamesAreFound() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: ":memory:", now: noon)
            try Migrator.migrate(connection, dialect: .sqlite, upTo: 26)
            for (user, number, name) in [(ada, 1, "Ada Lovelace"), (ben, 2, "")] {
                try connection.execute(
                    """
                    INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
                    VALUES ($1, $2, $3, '', '', 0)
                    """, [.id(user), .text("+1555000000\(number)"), .text(name)])
            }
            try Migrator.migrate(connection, dialect: .sqlite)
            for search in ["ada", "love", "ada lovelace"] {
                let found = try connection.people(
                    named: NameSearch.prefix(search), after: nil, limit: 10)
                #expect(found.map(\.user) == [ada])
            }
            #expect(try connection.count("SELECT COUNT(*) FROM name_entries", []) == 2)
            #expect(try connection.user(ada)?.lockedAt == nil)
        }
    }
}
