import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The only server of a database file was stopped, or its machine slept.
@Suite struct SleepTests {
    private let environment = TestEnvironment()
    private let machine = Machine()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Serves Ada, whose deadline passes in a second, and her responder Ben.
    private func serve(
        _ story: (TestServer, _ ada: Person, _ ben: Person) async throws -> Void
    ) async throws {
        let server = try TestServer(environment, path: folder.database, by: machine.clock())
        let life = server.network.serverLife
        try await life.wake()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.setInterval(.hours(24), of: ada, reminders: false)
        try await server.checkIn(ada, at: machine.realTime)
        machine.pass(.hours(24) - .seconds(1))
        life.noteAwake()
        try await life.giveSignOfLife()
        try await story(server, ada, ben)
        try server.engine.close()
    }

    private func handleDueDeadlines(_ server: TestServer, after pause: Duration) async throws {
        machine.pass(pause)
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    private func outage(_ server: TestServer) async throws -> Outage? {
        try await server.engine.read { try $0.serverState().outage }
    }

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(60).plusAMillisecond, true)])
    func moreThanAMinuteOfSleepIsAnOutage(pause: Duration, isOutage: Bool) async throws {
        try await serve { server, ada, ben in
            try await handleDueDeadlines(server, after: pause)
            #expect(try await (server.openAlert(ada) == nil) == isOutage)
            server.network.serverLife.noteAwake()
            try await handleDueDeadlines(server, after: .seconds(60).minusAMillisecond)
            #expect(try await (server.openAlert(ada) == nil) == isOutage)
            server.network.serverLife.noteAwake()
            try await handleDueDeadlines(server, after: .milliseconds(1))
            #expect(try await server.openAlert(ada)?.toldLate == isOutage)
            #expect(try await server.news(of: ben).contains("Ada missed a check-in"))
        }
    }

    /// Either loop may run first after the sleep. An idle server then leaves no note, which would
    /// hide the sleep.
    @Test func signOfLifeRecordsTheSleep() async throws {
        try await serve { server, ada, _ in
            let from = server.network.now()
            machine.pass(.minutes(10))
            server.network.serverLife.noteAwake()
            server.network.serverLife.noteAwake()
            try await server.network.serverLife.giveCheapSignOfLife(isIdle: true)
            let found = try #require(try await outage(server))
            #expect(found.from == from && found.to == server.network.now())
            try await handleDueDeadlines(server, after: .seconds(30))
            try await server.checkIn(ada, at: from)
            try await handleDueDeadlines(server, after: .seconds(30))
            #expect(try await server.alerts(ada).isEmpty)
            #expect(try await outage(server) == found)
        }
    }

    @Test func awakeServerFindsNoOutage() async throws {
        try await serve { server, ada, _ in
            for _ in 1...10 {
                machine.pass(.seconds(55))
                server.network.serverLife.noteAwake()
                try await server.network.serverLife.giveCheapSignOfLife(isIdle: true)
            }
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await outage(server) == nil)
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    /// The process runs, but can't store a sign of life.
    @Test func stalledDatabaseIsNotASleep() async throws {
        try await serve { server, ada, _ in
            for _ in 1...10 {
                machine.pass(ServerLife.pauseBetweenNotes)
                server.network.serverLife.noteAwake()
            }
            try await server.network.serverLife.giveCheapSignOfLife(isIdle: true)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await outage(server) == nil)
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    /// A correction of the clock is a jump of the time during which the server runs.
    @Test func correctedClockIsNotASleep() async throws {
        try await serve { server, _, _ in
            machine.setWall(by: .minutes(10))
            machine.synchronise()
            machine.pass(.seconds(5))
            server.network.serverLife.noteAwake()
            try await server.deadlineMonitor.handleDueDeadlines()
            try await server.network.serverLife.giveSignOfLife()
            #expect(try await outage(server) == nil)
        }
    }
}
