import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct DatabaseOutageTests {
    let server: TestServer
    let first, second: SafetyNetwork
    let ada, ben: Person

    /// Both servers last record that they run one second before Ada's deadline.
    init() async throws {
        server = try TestServer()
        (first, second) = (try server.another(), try server.another())
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        server.clock.pass(.hours(24) - .seconds(1))
        for network in [first, second] { try await network.serverLife.wake() }
    }

    private func handleDueDeadlines(_ network: SafetyNetwork) async throws {
        try await DeadlineMonitor(network).handleDueDeadlines()
    }

    private func isOnAlert() async throws -> Bool { try await server.openAlert(ada) != nil }

    private func outage() async throws -> Outage? {
        try await server.engine.read { try $0.serverState().outage }
    }

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(60).plusAMillisecond, true)])
    func moreThanAMinuteWithoutTheDatabaseIsAnOutage(pause: Duration, isOutage: Bool) async throws {
        server.clock.pass(pause)
        try await handleDueDeadlines(first)
        #expect(try await isOnAlert() != isOutage)
        server.clock.pass(.seconds(60).minusAMillisecond)
        try await handleDueDeadlines(first)
        #expect(try await isOnAlert() != isOutage)
        server.clock.pass(.milliseconds(1))
        try await handleDueDeadlines(first)
        #expect(try await server.openAlert(ada)?.toldLate == isOutage)
        #expect(try await server.news(of: ben).contains("Ada missed a check-in"))
    }

    @Test func firstSignOfLifeGrantsTheGrace() async throws {
        server.clock.pass(.minutes(10))
        try await second.serverLife.giveSignOfLife()
        let outage = try await outage()
        #expect(outage?.from == noon.adding(.hours(24) - .seconds(1)))
        #expect(outage?.to == server.clock.now)
        server.clock.pass(.seconds(30))
        for network in [first, second] {
            try await handleDueDeadlines(network)
            try await network.serverLife.giveSignOfLife()
        }
        #expect(try await !isOnAlert())
        #expect(try await self.outage() == outage)
        server.clock.pass(.seconds(30))
        try await handleDueDeadlines(first)
        #expect(try await isOnAlert())
    }

    @Test func queuedCheckInArrivesWithinTheGrace() async throws {
        server.clock.pass(.minutes(10))
        try await handleDueDeadlines(first)
        server.clock.pass(.seconds(59))
        try await server.checkIn(ada, at: server.clock.now.adding(.minutes(-5)))
        try await first.serverLife.giveSignOfLife()
        server.clock.pass(.seconds(30))
        try await handleDueDeadlines(first)
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func deadlinesWaitUntilTheOutageIsRecorded() async throws {
        server.clock.pass(.minutes(10))
        try await TestDatabase.refuse("UPDATE", of: "server_state", in: server.engine)
        await #expect(throws: (any Error).self) { try await handleDueDeadlines(first) }
        #expect(try await !isOnAlert())
        try await TestDatabase.allowAgain(in: "server_state", in: server.engine)
        try await handleDueDeadlines(first)
        #expect(try await !isOnAlert())
        #expect(try await outage()?.to == server.clock.now)
    }

    /// The pass waits for the database, and its transaction begins after the outage.
    @Test func passDelayedByTheDatabaseHandlesNothing() async throws {
        let database = SlowDatabase(server.engine)
        let network = try server.another(on: database)
        try await network.serverLife.wake()
        server.clock.pass(.seconds(5))
        database.waitOnce { [clock = server.clock] in clock.pass(.minutes(10)) }
        try await handleDueDeadlines(network)
        #expect(try await !isOnAlert())
        server.clock.pass(.seconds(60))
        try await handleDueDeadlines(network)
        #expect(try await server.openAlert(ada)?.toldLate == true)
    }

    /// One server is cut off from the database. The other could have alerted in time.
    @Test func isolatedServerFindsNoOutage() async throws {
        for _ in 1...10 {
            server.clock.pass(.seconds(55))
            try await second.serverLife.giveSignOfLife()
        }
        try await handleDueDeadlines(first)
        #expect(try await outage() == nil)
        #expect(try await server.openAlert(ada)?.toldLate == false)
    }

    /// The only server of a database file can always reach it. Only a sleep that `noteAwake` has
    /// noticed is an outage (`SleepTests`).
    @Test func singleServerFindsNoDatabaseOutage() async throws {
        guard !server.engine.isShared else { return }
        try await server.network.serverLife.wake()
        server.clock.pass(.minutes(10))
        try await server.network.serverLife.giveSignOfLife()
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await outage() == nil)
        #expect(try await isOnAlert())
    }
}
