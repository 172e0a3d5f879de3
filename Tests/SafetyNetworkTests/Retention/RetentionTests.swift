import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import SafetyNetwork

/// Expired rows go in small passes, beside the monitor and not in it.
@Suite struct RetentionTests {
    private final class Passes: Sendable {
        private let passes = Mutex<[(kind: CleanUp, rows: Int)]>([])
        func take(_ kind: CleanUp, _ rows: Int) { passes.withLock { $0.append((kind, rows)) } }
        var kinds: [CleanUp] { passes.withLock { $0.map(\.kind) } }
        var rows: [Int] { passes.withLock { $0.map(\.rows) } }
    }

    private let passes = Passes()

    private func rows(in table: String, _ town: Town) async throws -> Int {
        try await town.engine.read { try $0.count("SELECT COUNT(*) FROM \(table)", []) }
    }

    private func insertNotifications(_ count: Int, of person: Person, _ town: Town) async throws {
        let (now, person) = (town.clock.now, person.id)
        try await town.engine.write { transaction in
            for _ in 0..<count {
                let item = NotificationItem(
                    id: town.world.id(), type: .ping, title: "", body: "", createdAt: now)
                try transaction.insert(item, of: person)
            }
        }
    }

    @Test func aPassDeletesAHundredRowsAndTheNextComesAfterAPause() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await insertNotifications(250, of: ada, town)
        let retention = Retention(town.network, report: passes.take)
        town.clock.pass(.days(30) - .milliseconds(1))
        while try await retention.pass() < town.clock.now.adding(.minutes(10)) {}
        #expect(!passes.kinds.contains(.notifications))
        town.clock.pass(.milliseconds(1))
        for left in [150, 50] {
            #expect(try await retention.pass() == town.clock.now.adding(.milliseconds(50)))
            #expect(try await rows(in: "notifications", town) == left)
        }
        try await retention.pass()
        #expect(try await rows(in: "notifications", town) == 0)
        #expect(try await retention.pass() == town.clock.now.adding(.minutes(10)))
        #expect(passes.rows.suffix(3) == [100, 100, 50])
    }

    @Test func kindsTakeTurns() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await insertNotifications(300, of: ada, town)
        let (now, user) = (town.clock.now, ada.id)
        try await town.engine.write { transaction in
            for _ in 0..<300 {
                try transaction.insert(
                    RequestKeyRow(request: "x"), key: town.world.makeID(), of: user, at: now)
            }
        }
        town.clock.pass(.days(60))
        let retention = Retention(town.network, report: passes.take)
        for _ in 0..<6 { try await retention.pass() }
        #expect(passes.kinds.filter { $0 == .notifications }.count == 3)
        #expect(passes.kinds.filter { $0 == .requestKeys }.count >= 2)
        #expect(passes.kinds.prefix(3) != [.notifications, .notifications, .notifications])
    }

    @Test func theWatchLeavesCleanUpToOthers() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await insertNotifications(10, of: ada, town)
        try await town.pass(.days(60))
        #expect(try await rows(in: "notifications", town) == 10)
    }

    @Test func theOperatorSaysHowLongALedgerIsKept() async throws {
        let town = try Town(options: { $0.retention.ledger = .days(2) })
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let alert = try await town.raiseAlert(ada)
        _ = try await town.endAlert(alert, ada)
        let open = try await town.raiseAlert(ada)
        let retention = Retention(town.network, report: passes.take)
        town.clock.pass(.days(2) - .milliseconds(1))
        try await retention.pass()
        #expect(try await town.alerts(ada).count == 2)
        town.clock.pass(.milliseconds(1))
        while try await retention.pass() < town.clock.now.adding(.minutes(10)) {}
        #expect(try await town.alerts(ada).map(\.id) == [open.id])
        #expect(try await !town.alert(open, seenBy: ada).ledger.isEmpty)
    }

    @Test func aKindThatCanNotBeDeletedDoesNotHoldUpTheOthers() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await insertNotifications(5, of: ada, town)
        let (now, user) = (town.clock.now, ada.id)
        try await town.engine.write { transaction in
            try transaction.insert(
                RequestKeyRow(request: "x"), key: town.world.makeID(), of: user, at: now)
            try transaction.execute(
                """
                CREATE TRIGGER broken BEFORE DELETE ON notifications
                BEGIN SELECT RAISE(ABORT, 'broken'); END
                """, [])
        }
        town.clock.pass(.days(60))
        let retention = Retention(town.network, report: passes.take)
        for _ in 0..<8 { _ = try? await retention.pass() }
        #expect(try await rows(in: "request_keys", town) == 0)
        #expect(try await rows(in: "notifications", town) == 5)
    }
}
