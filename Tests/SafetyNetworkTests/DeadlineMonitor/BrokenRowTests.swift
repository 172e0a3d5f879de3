import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// A row that can't be handled is retried later, and doesn't affect other people.
@Suite struct BrokenRowTests {
    private func failures(_ server: TestServer) -> [String] {
        server.watched.all.failures.map(\.description)
    }

    private func breakRow(of person: Person, _ server: TestServer) async throws {
        try await server.engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE users SET phone_number = 'x' WHERE id = $1", [.id(person.id)])
        }
    }

    private func mendRow(of person: Person, _ server: TestServer) async throws {
        try await server.engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE users SET phone_number = $1 WHERE id = $2",
                [.text(person.number.text), .id(person.id)])
        }
    }

    @Test func failingDeadlineIsPostponedAlone() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.person("Ben"),
            try await server.armed("Cleo")
        )
        try await server.connect(ben, watchesOver: ada)
        try await breakRow(of: ben, server)
        #expect(try await server.pass(.hours(24)) == server.clock.now.adding(.minutes(1)))
        #expect(try await server.openAlert(cleo) != nil)
        #expect(try await server.openAlert(ada) == nil)
        #expect(failures(server) == ["schedule: CommandError"])
        #expect(
            try await server.engine.read {
                try $0.countDueSchedules(at: server.clock.now, limit: 10)
            }
                == 0)

        try await mendRow(of: ben, server)
        try await server.pass(.minutes(1))
        #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
    }

    @Test(arguments: [[0, 1], [3, 4], [2, 6], [8]])
    func failingDeadlinesAmongManyArePostponedAlone(broken: [Int]) async throws {
        let server = try TestServer()
        let ben = try await server.person("Ben")
        try await breakRow(of: ben, server)
        var people: [Person] = []
        for number in 0..<9 { people.append(try await server.armed("Person \(number)")) }
        for index in broken {
            try await server.engine.write(about: .none) { [owner = people[index].id] in
                try $0.insertContact(
                    ben.id, of: owner, roles: ContactRoles(isResponder: true, isDependent: false))
            }
        }
        try await server.pass(.hours(24))
        for (index, person) in people.enumerated() {
            #expect(try await (server.openAlert(person) == nil) == broken.contains(index))
        }
        #expect(
            failures(server)
                == Array(repeating: "schedule: CommandError", count: broken.count))
        #expect(server.watched.all.missed == people.count - broken.count)
        try await mendRow(of: ben, server)
        try await server.pass(.minutes(1))
        for person in people { #expect(try await server.openAlert(person) != nil) }
    }

    @Test func failingAlertIsPostponedAlone() async throws {
        let server = try TestServer()
        let (ada, cleo) = (try await server.person("Ada"), try await server.person("Cleo"))
        let (ben, dora) = (try await server.person("Ben"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(dora, watchesOver: cleo)
        for person in [ada, cleo] { try await server.raiseAlert(person) }
        for person in [ben, dora] { _ = try await server.news(of: person) }
        try await breakRow(of: ben, server)
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: dora) == ["Cleo still needs help"])
        #expect(failures(server) == ["alert: CommandError"])

        try await mendRow(of: ben, server)
        try await server.pass(.minutes(1))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
    }

    @Test func failingJourneyIsPostponedAlone() async throws {
        let server = try TestServer()
        let (ada, cleo) = (try await server.person("Ada"), try await server.person("Cleo"))
        let (ben, dora) = (try await server.person("Ben"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(dora, watchesOver: cleo)
        for person in [ada, cleo] {
            let draft = JourneyDraft(
                id: server.environment.id(), name: "Zugspitze",
                expectedReturn: noon.adding(.hours(1)), graceMinutes: 0)
            _ = try await server.network.journeys.start(draft, of: person.caller)
        }
        try await breakRow(of: ben, server)
        try await server.pass(.hours(1))
        #expect(try await server.news(of: dora) == ["Cleo is not back from Zugspitze"])
        #expect(failures(server) == ["journey: CommandError"])

        try await mendRow(of: ben, server)
        try await server.pass(.minutes(1))
        #expect(try await server.news(of: ben) == ["Ada is not back from Zugspitze"])
    }

    /// Ben's call can't be started. Dora, who watches over another person, is called.
    @Test(arguments: [true, false]) func failingCallsArePostponedAlone(isDrill: Bool) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        let (ada, cleo) = (try await server.person("Ada"), try await server.person("Cleo"))
        let (ben, dora) = (try await server.person("Ben"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(dora, watchesOver: cleo)
        for person in [ada, cleo] {
            if isDrill {
                _ = try await server.network.drills.startDrill(
                    server.environment.id(), by: person.caller)
            } else {
                try await server.raiseAlert(person)
            }
        }
        let id = TestDatabase.literal(ben.id.uuid)
        try await TestDatabase.refuse(
            "UPDATE", of: "deliveries", when: "NEW.channel = 'voice' AND NEW.user_id = \(id)",
            in: server.engine)
        try await server.pass(.seconds(90))
        #expect(try await server.send(.voice) == ["Dora"])
        let failures = failures(server)
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix(isDrill ? "drill: " : "calls: ") == true)

        try await TestDatabase.allowAgain(in: "deliveries", in: server.engine)
        try await server.pass(.minutes(1) - .milliseconds(1))
        #expect(try await server.send(.voice) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.send(.voice) == ["Ben"])
    }

    /// The failure must not roll back the whole batch.
    @Test func failingPingIsPostponedAlone() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let (cleo, dora) = (try await server.armed("Cleo"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(dora, watchesOver: cleo)
        let broken = try await server.ping(ada, by: ben)
        let whole = try await server.ping(cleo, by: dora)
        let id = TestDatabase.literal(broken.id.uuid)
        try await TestDatabase.refuse(
            "UPDATE", of: "pings", when: "NEW.state = 'expired' AND NEW.id = \(id)",
            in: server.engine)
        try await server.pass(.hours(24))
        #expect(try await state(of: whole, server) == .expired)
        #expect(try await state(of: broken, server) == .pending)
        let failures = failures(server)
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix("ping: ") == true)
        #expect(failures.first?.contains("DatabaseError") == false)
        #expect(try await server.openAlert(cleo) != nil)

        try await TestDatabase.allowAgain(in: "pings", in: server.engine)
        try await server.pass(.minutes(1) - .milliseconds(1))
        #expect(try await state(of: broken, server) == .pending)
        try await server.pass(.milliseconds(1))
        #expect(try await state(of: broken, server) == .expired)
    }

    private func state(of ping: PingRecord, _ server: TestServer) async throws -> PingRecord.State?
    {
        try await server.engine.read { try $0.ping(ping.id, from: ping.responderID)?.state }
    }
}
