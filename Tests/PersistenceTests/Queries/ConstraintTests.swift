import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct ConstraintTests {
    private func expectUnique(
        _ engine: any DatabaseEngine, _ body: @escaping @Sendable (Transaction) throws -> Void
    ) async {
        await #expect(throws: DatabaseError.uniqueViolation) {
            try await engine.write(about: .none, body)
        }
    }

    @Test(arguments: Home.all)
    func onlyOneOpenAlertPerKind(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: .none) { try $0.insert(missedAlert(1, of: ada)) }
            await expectUnique(engine) { try $0.insert(missedAlert(2, of: ada)) }
            try await engine.write(about: .none) { try $0.insert(manualAlert(3, of: ada)) }
            await expectUnique(engine) { try $0.insert(manualAlert(4, of: ada)) }
            try await engine.write(about: .none) { try $0.insert(missedAlert(1, of: ben)) }

            var ended = missedAlert(1, of: ada)
            ended.endedAt = noon
            try await engine.write(about: .none) { [ended] in try $0.update(ended) }
            try await engine.write(about: .none) { try $0.insert(missedAlert(2, of: ada)) }
            #expect(try await engine.read { try $0.openAlerts(of: ada).count } == 2)
        }
    }

    @Test(arguments: Home.all)
    func onlyOnePendingPingPerPair(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben, cleo)
            let first = ping(1, from: ben, to: ada)
            try await engine.write(about: .none) { try $0.insert(first) }
            await expectUnique(engine) { try $0.insert(ping(2, from: ben, to: ada)) }
            try await engine.write(about: .none) { try $0.insert(ping(3, from: ada, to: ben)) }
            try await engine.write(about: .none) { try $0.insert(ping(4, from: cleo, to: ada)) }
            _ = try await engine.write(about: .none) { try $0.settle(first, as: .answered) }
            try await engine.write(about: .none) { try $0.insert(ping(2, from: ben, to: ada)) }
        }
    }

    @Test func settledPingStaysUnchanged() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let first = ping(1, from: ben, to: ada)
            try await engine.write(about: .none) { try $0.insert(first) }
            _ = try await engine.write(about: .none) { try $0.settle(first, as: .answered) }
            _ = try await engine.write(at: noon.adding(.hours(24))) {
                try $0.settle(first, as: .expired)
            }
            let stored = try await engine.read { try $0.ping(first.id, from: ben) }
            #expect(stored?.state == .answered)
            #expect(stored?.settledAt == noon)
        }
    }

    @Test(arguments: Home.all)
    func checkInIDIsUniquePerUser(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: .none) { try $0.insert(checkIn(1, at: noon), of: ada) }
            await expectUnique(engine) {
                try $0.insert(checkIn(1, at: noon.adding(.hours(1))), of: ada)
            }
            try await engine.write(about: .none) { try $0.insert(checkIn(1, at: noon), of: ben) }
        }
    }

    @Test func phoneNumberBelongsToOneUser() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            await expectUnique(engine) {
                try $0.insertUser(cleo, phoneNumber: try number(of: ada))
            }
            await expectUnique(engine) { try $0.updatePhoneNumber(try number(of: ada), of: ben) }
            #expect(
                try await engine.read { try $0.user(phoneNumber: try number(of: ada))?.id } == ada)
        }
    }

    @Test func relationIsStoredOnceFromEitherSide() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            try await engine.connect(ben, watchesOver: ada)
            let roles = try ContactRoles(isResponder: true, isDependent: true)
            await expectUnique(engine) {
                try $0.insertContact(ben, of: ada, roles: roles)
            }
            await expectUnique(engine) {
                try $0.insertContact(ada, of: ben, roles: roles)
            }
        }
    }

    @Test(arguments: [
        """
        INSERT INTO contacts (user_id, contact_id, responder_in_force, dependent_in_force,
            created_at)
        VALUES ($1, $1, 1, 1, 0)
        """,
        """
        INSERT INTO check_ins SELECT \(TestDatabase.zeroes(16)), id, 0, 0, 0, NULL, NULL
        FROM users
        WHERE id = $1
        """,
        "UPDATE schedules SET interval_seconds = 0 WHERE user_id = $1",
        """
        INSERT INTO alerts (user_id, id, kind, started_at, received_at, told_late, escalation_from,
            repeats, owner_told, without_sms)
        VALUES ($1, \(TestDatabase.zeroes(15)), 'manual', 0, 0, 0, 0, 1, 0, 0)
        """,
        "INSERT INTO pings VALUES ($1, $1, $1, $1, 0, 0, 'answered', NULL)",
        "INSERT INTO pings VALUES ($1, $1, $1, $1, 0, 0, 'pending', 0)",
        """
        INSERT INTO pings VALUES ($1, $1, \(TestDatabase.zeroes(1)), \(TestDatabase.zeroes(2)),
            0, 0, 'pending', NULL)
        """,
        "UPDATE users SET name = NULL WHERE id = $1",
        "INSERT INTO pictures VALUES ($1, $1, 'text/html', \(TestDatabase.zeroes(1)))",
    ])
    func whatMakesNoSenseIsRefused(sql: String) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let error = await #expect(throws: DatabaseError.self) {
                try await engine.write(about: .none) { _ = try $0.execute(sql, [.id(ada)]) }
            }
            guard case .constraintViolation = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
