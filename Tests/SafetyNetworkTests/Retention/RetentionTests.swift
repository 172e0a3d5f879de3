import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct RetentionTests {
    private final class Passes: Sendable {
        private let passes = Mutex<[(kind: CleanUp, rows: Int)]>([])
        func record(_ kind: CleanUp, _ rows: Int) { passes.withLock { $0.append((kind, rows)) } }
        var kinds: [CleanUp] { passes.withLock { $0.map(\.kind) } }
        var rows: [Int] { passes.withLock { $0.map(\.rows) } }
    }

    private let passes = Passes()

    private func rows(in table: String, _ server: TestServer) async throws -> Int {
        try await server.engine.read { try $0.count("SELECT COUNT(*) FROM \(table)", []) }
    }

    private func insertNotifications(_ count: Int, of person: Person, _ server: TestServer)
        async throws
    {
        let (now, person) = (server.clock.now, person.id)
        try await server.engine.write(about: .none) { transaction in
            for _ in 0..<count {
                let item = NotificationItem(
                    id: server.environment.id(), type: .ping, title: "", body: "", createdAt: now)
                try transaction.insert(item, of: person)
            }
        }
    }

    @Test func passDeletes100RowsThenPauses() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        try await insertNotifications(250, of: ada, server)
        let retention = Retention(server.network, report: passes.record)
        server.clock.pass(.days(30) - .milliseconds(1))
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(!passes.kinds.contains(.notifications))
        server.clock.pass(.milliseconds(1))
        for left in [150, 50] {
            #expect(try await retention.pass() == server.clock.now.adding(.milliseconds(50)))
            #expect(try await rows(in: "notifications", server) == left)
        }
        try await retention.pass()
        #expect(try await rows(in: "notifications", server) == 0)
        #expect(try await retention.pass() == server.clock.now.adding(.minutes(10)))
        #expect(passes.rows.suffix(3) == [100, 100, 50])
    }

    @Test func kindsTakeTurns() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        try await insertNotifications(300, of: ada, server)
        let user = ada.id
        try await server.engine.write(about: .none) { transaction in
            for _ in 0..<300 {
                try transaction.insert(
                    RequestKeyRow(request: "x"), key: server.environment.makeID(), of: user
                )
            }
        }
        server.clock.pass(.days(60))
        let retention = Retention(server.network, report: passes.record)
        for _ in 0..<6 { try await retention.pass() }
        #expect(passes.kinds.filter { $0 == .notifications }.count == 3)
        #expect(passes.kinds.filter { $0 == .requestKeys }.count >= 2)
        #expect(passes.kinds.prefix(3) != [.notifications, .notifications, .notifications])
    }

    @Test func monitorLeavesCleanUpToRetention() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        try await insertNotifications(10, of: ada, server)
        try await server.pass(.days(60))
        #expect(try await rows(in: "notifications", server) == 10)
    }

    @Test func operatorSetsTheLedgersRetention() async throws {
        let server = try TestServer(
            hasBystanders: false, options: { $0.retention.ledger = .days(2) })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.endAlert(alert, ada)
        let open = try await server.raiseAlert(ada)
        let retention = Retention(server.network, report: passes.record)
        server.clock.pass(.days(2) - .milliseconds(1))
        try await retention.pass()
        #expect(try await server.alerts(ada).count == 2)
        server.clock.pass(.milliseconds(1))
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(try await server.alerts(ada).map(\.id) == [open.id])
        #expect(try await !server.alert(open, seenBy: ada).ledger.isEmpty)
    }

    /// Nothing is written to the logs any more, so no write to them deletes their expired events.
    @Test func eventsOfQuietLogsExpire() async throws {
        let server = try TestServer(hasBystanders: false)
        let people = try await [server.person("Ada"), server.person("Ben")].map(\.id)
        try await server.engine.write(about: .none) { transaction in
            for _ in 1...3 {
                for person in people { try transaction.append(.profileChanged, to: person) }
            }
        }
        let retention = Retention(server.network, report: passes.record)
        func ranges() async throws -> [ClosedRange<Int64>?] {
            while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
            return try await server.engine.read { connection in
                try people.map { try connection.eventRange(of: $0) }
            }
        }
        let before = try await ranges()
        server.clock.pass(EventRules.kept - .milliseconds(1))
        #expect(try await ranges() == before)
        server.clock.pass(.milliseconds(1))
        #expect(try await ranges() == before.map { $0.map { $0.upperBound...$0.upperBound } })
        try await server.engine.write(about: .none) { transaction in
            for person in people { try transaction.append(.profileChanged, to: person) }
        }
        let newest = before.map { $0.map { $0.upperBound + 1 } }
        #expect(try await ranges() == newest.map { $0.map { $0...$0 } })
    }

    @Test func failingKindDoesNotBlockOthers() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        try await insertNotifications(5, of: ada, server)
        let user = ada.id
        try await server.engine.write(about: .none) { transaction in
            try transaction.insert(
                RequestKeyRow(request: "x"), key: server.environment.makeID(), of: user)
        }
        try await TestDatabase.refuse("DELETE", of: "notifications", in: server.engine)
        server.clock.pass(.days(60))
        let retention = Retention(server.network, report: passes.record)
        for _ in 0..<8 { _ = try? await retention.pass() }
        #expect(try await rows(in: "request_keys", server) == 0)
        #expect(try await rows(in: "notifications", server) == 5)
    }
}
