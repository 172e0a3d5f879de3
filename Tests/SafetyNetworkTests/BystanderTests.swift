import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// The test database has rows of uninvolved people. A statement that touches them fails.
@Suite(.enabled(if: !TestDatabase.isPostgreSQL)) struct BystanderTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
    }

    /// Runs a statement as the product does. Returns its failure; nil if it succeeds.
    private func failure(_ sql: String, _ values: [SQLValue]) async -> String? {
        do {
            try await server.engine.write(about: Subjects([ada.id])) {
                _ = try $0.execute(sql, values)
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aChangeWithoutThePersonFails() async throws {
        let id: SQLValue = .id(try await server.raiseAlert(ada).typedID)
        for sql in [
            "UPDATE alerts SET owner_told = 1 WHERE id = $1", "DELETE FROM alerts WHERE id = $1",
        ] {
            #expect(await failure(sql, [id])?.contains(Bystanders.refusal) == true)
        }
        #expect(
            await failure(
                "UPDATE alerts SET owner_told = 1 WHERE user_id = $1 AND id = $2",
                [.id(ada.id), id]) == nil)
    }

    @Test func aRowForTheBystanderFails() async throws {
        let sql = """
            INSERT INTO proofs (user_id, channel, proven_at)
            SELECT id, 'sms', 1 FROM users WHERE phone_number LIKE $1
            """
        #expect(await failure(sql, [.text("~%")])?.contains(Bystanders.refusal) == true)
    }

    @Test func bystandersFollowTheStateOfThePeople() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.ping(ada, by: ben)
        let counts = try await server.engine.write(about: .none) { transaction in
            try [
                "alerts WHERE acknowledged_at IS NOT NULL", "pings WHERE state = 'pending'",
                "contacts", "alert_actions WHERE kind = 'acknowledged'", "check_ins",
            ].map { try transaction.count("SELECT COUNT(*) FROM \($0)", []) }
        }
        // A ping and a contact have one row for each of the two people.
        #expect(counts == [2, 4, 4, 2, 2])
        let seen = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM alerts a WHERE a.acknowledged_at IS NOT NULL", [])
        }
        #expect(seen == 1)
    }

    @Test func bystandersOutliveThePeople() async throws {
        try await server.deleteAccount(ada)
        let names: [String] = try await server.engine.write(about: .none) {
            try $0.values("SELECT name FROM users ORDER BY name", [])
        }
        #expect(names == ["Ada", "Ben", "Ben"])
    }

    @Test func everyTableOfPeopleHasThem() async throws {
        let (tables, triggers): ([String], [String]) = try await server.engine.read {
            (
                try $0.values("SELECT name FROM sqlite_master WHERE type = 'table'", []),
                try $0.values(
                    "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE $1",
                    [.text("bystanders_%_insert")])
            )
        }
        #expect(triggers.count > 20)
        #expect(Set(triggers) == Set(tables).intersection(ShardingRules.personColumns.keys))
    }
}
