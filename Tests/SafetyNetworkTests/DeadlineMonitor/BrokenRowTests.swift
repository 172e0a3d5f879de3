import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Something about one person can't be handled: the watch comes back to it, and everybody else is
/// served.
@Suite struct BrokenRowTests {
    private func breakRow(of person: Person, _ town: Town) async throws {
        try await town.engine.write {
            _ = try $0.execute(
                "UPDATE users SET phone_number = 'x' WHERE id = $1", [.id(person.id)])
        }
    }

    private func mendRow(of person: Person, _ town: Town) async throws {
        try await town.engine.write { try $0.updatePhoneNumber(person.number, of: person.id) }
    }

    @Test func aDeadlineIsPutOffByAMinuteAndTheOthersAreNoticed() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.armed("Ada"), try await town.person("Ben"), try await town.armed("Cleo")
        )
        try await town.connect(ben, watchesOver: ada)
        try await breakRow(of: ben, town)
        #expect(try await town.pass(.hours(24)) == town.clock.now.adding(.minutes(1)))
        #expect(try await town.openAlert(cleo) != nil)
        #expect(try await town.openAlert(ada) == nil)
        #expect(town.watched.all.failures == ["schedule: CommandError"])
        #expect(
            try await town.engine.read { try $0.countDueSchedules(at: town.clock.now, limit: 10) }
                == 0)

        try await mendRow(of: ben, town)
        try await town.pass(.minutes(1))
        #expect(try await town.openAlert(ada)?.kind == .missedCheckIn)
        #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
    }

    @Test func anAlertIsPutOffByAMinuteAndTheOthersAreRepeated() async throws {
        let town = try Town()
        let (ada, cleo) = (try await town.person("Ada"), try await town.person("Cleo"))
        let (ben, dora) = (try await town.person("Ben"), try await town.person("Dora"))
        try await town.connect(ben, watchesOver: ada)
        try await town.connect(dora, watchesOver: cleo)
        for person in [ada, cleo] { try await town.raiseAlert(person) }
        for person in [ben, dora] { _ = try await town.news(of: person) }
        try await breakRow(of: ben, town)
        try await town.pass(.minutes(5))
        #expect(try await town.news(of: dora) == ["Cleo still needs help"])
        #expect(town.watched.all.failures == ["alert: CommandError"])

        try await mendRow(of: ben, town)
        try await town.pass(.minutes(1))
        #expect(try await town.news(of: ben) == ["Ada still needs help"])
    }

    /// One that failed used to undo its whole batch, again and again, and the watch stood still.
    @Test func aPingIsPutOffByAMinuteAndTheOthersExpire() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let (cleo, dora) = (try await town.armed("Cleo"), try await town.person("Dora"))
        try await town.connect(ben, watchesOver: ada)
        try await town.connect(dora, watchesOver: cleo)
        let broken = try await town.ping(ada, by: ben)
        let whole = try await town.ping(cleo, by: dora)
        try await town.engine.write { transaction in
            try transaction.execute(
                """
                CREATE TRIGGER broken BEFORE UPDATE ON pings
                WHEN NEW.state = 'expired' AND hex(NEW.id) =
                    '\(broken.id.uuid.uuidString.replacing("-", with: ""))'
                BEGIN SELECT RAISE(ABORT, 'broken'); END
                """, [])
        }
        try await town.pass(.hours(24))
        #expect(try await state(of: whole, town) == .expired)
        #expect(try await state(of: broken, town) == .pending)
        #expect(town.watched.all.failures == ["ping: DatabaseError"])
        #expect(try await town.openAlert(cleo) != nil)

        try await town.engine.write { try $0.execute("DROP TRIGGER broken", []) }
        try await town.pass(.minutes(1) - .milliseconds(1))
        #expect(try await state(of: broken, town) == .pending)
        try await town.pass(.milliseconds(1))
        #expect(try await state(of: broken, town) == .expired)
    }

    private func state(of ping: PingRecord, _ town: Town) async throws -> PingRecord.State? {
        try await town.engine.read { try $0.ping(ping.id, from: ping.responderID)?.state }
    }
}
