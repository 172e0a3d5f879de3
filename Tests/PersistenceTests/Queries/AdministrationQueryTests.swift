import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct AdministrationQueryTests {
    @Test func deletedPersonLeavesTheIndexAndTheLog() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben)
        let act = AdminAct(
            id: AdminActID(ada.uuid), time: noon, kind: .lock, reason: "Spam", doneBy: "root")
        try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.updateUser(ada, name: "Ada", emergencyNote: "")
            try transaction.insert(AdminLogEntry(act: act, person: ada))
        }
        func found() async throws -> [UserID] {
            try await engine.read {
                try $0.people(named: Data("ad".utf8), after: nil, limit: 10).map(\.user)
            }
        }
        #expect(try await found() == [ada])
        #expect(
            try await engine.read { try $0.adminActs(about: ada, limit: 10) }
                == [AdminLogEntry(act: act, person: ada)])
        try await engine.write(about: Subjects([ada])) { transaction in
            if let user = try transaction.user(ada) { try transaction.deleteUser(user) }
        }
        #expect(try await found() == [])
        #expect(try await engine.read { try $0.adminActs(about: ada, limit: 10) } == [])
        #expect(
            try await engine.read { try $0.adminActs(about: nil, limit: 10) }
                == [AdminLogEntry(act: act, person: nil)])
    }

    /// Each person has one channel, and one person has none.
    @Test func peopleWithoutAWorkingChannelAreCounted() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben, cleo)
        let caller = try await engine.signIn(ada, 1)
        try await engine.save(try browser(5), of: caller)
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "INSERT INTO email_addresses (user_id, address) VALUES ($1, $2)",
                [.id(ben), .text("ben@example.org")])
        }
        func count(_ carriers: Set<DeliveryChannel>) async throws -> Int {
            try await engine.read { try $0.countPeopleWithoutChannel(by: carriers) }
        }
        #expect(try await count([]) == 2)
        #expect(try await count([.email, .voice]) == 1)
        #expect(try await count([.sms]) == 0)
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE users SET sms_stopped_at = 1", [])
            _ = try $0.execute("UPDATE push_subscriptions SET failing_since = 1", [])
        }
        #expect(try await count([.sms]) == 3)
        #expect(try await count([.email, .sms]) == 2)
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE email_addresses SET failing_since = 1", [])
        }
        #expect(try await count([.email, .sms]) == 3)
    }

    /// - Parameter hours: how far the clock was behind; negative if it was ahead.
    @Test(arguments: [(2, 24, 26), (-24, 48, 24), (-24, 12, 12)])
    func wrongClockLeavesADayToStopAMove(hours: Int, due: Int, corrected: Int) async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada)
        let move = NumberMove(
            phoneNumber: try number(of: ben), takesEffectAt: noon.adding(.hours(due)))
        let correction = ClockCorrection(
            by: .hours(hours), since: noon.adding(.hours(-1)), until: noon.adding(.hours(1)))
        let found = try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.insert(move, of: ada)
            try transaction.correctMoments(by: correction)
            return try transaction.numberMove(of: ada)
        }
        #expect(found?.takesEffectAt == noon.adding(.hours(corrected)))
    }

    @Test func maintenanceIsTheNextOneThatIsNotOver() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        let hours = [(-2, -1), (5, 6), (-1, 1)]
        try await engine.write(about: .none) { transaction in
            for (number, period) in hours.enumerated() {
                try transaction.insert(
                    AnnouncementRow(
                        id: AdminActID(
                            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
                        ),
                        text: "Update",
                        maintenance: Maintenance(
                            from: noon.adding(.seconds(3_600 * period.0)),
                            until: noon.adding(.seconds(3_600 * period.1))), createdAt: noon))
            }
        }
        let next = try await engine.read { try $0.announcedMaintenance() }
        #expect(next?.until == noon.adding(.seconds(3_600)))
    }
}
