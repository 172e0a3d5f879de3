import API
import Domain
import Foundation
import Persistence
import SafetyNetwork
import SchemaValidation
import TestDatabase
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct ReadinessTests {
    private func problems(_ server: TestServer) async throws -> [String] {
        try await health(server).problems
    }

    private func warnings(_ server: TestServer) async throws -> [String] {
        let health = try await health(server)
        #expect(health.problems == [])
        return health.warnings
    }

    private func health(_ server: TestServer) async throws -> Health {
        let answer = try await server.send("GET", "/health/ready")
        #expect(answer.header("Content-Type") == "application/json")
        #expect(Health.schema.violations(in: try #require(answer.json)) == [])
        let health = try StrictJSON.decode(Health.self, from: answer.body)
        #expect(answer.status == (health.problems.isEmpty ? 200 : 503))
        #expect((health.status == .ok) == health.problems.isEmpty)
        return health
    }

    @Test func livenessIsIndependentOfTheDatabase() async throws {
        let server = try TestServer()
        server.database.fail(with: .diskFull(path: "/data"))
        #expect(try await server.call(Routes.live, by: nil) == Health())
    }

    /// A load balancer must keep a server that can store check-ins.
    @Test func missingFirstMonitorPassIsAWarning() async throws {
        let server = try TestServer()
        #expect(try await warnings(server) == ["the deadline monitor has not finished a pass yet"])
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await warnings(server) == [])
    }

    @Test func failedMonitorPassIsAWarning() async throws {
        let server = try TestServer()
        server.database.fail(with: .closed)
        await #expect(throws: DatabaseError.closed) {
            try await server.deadlineMonitor.handleDueDeadlines()
        }
        server.database.fail(with: nil)
        #expect(try await warnings(server) == ["the deadline monitor has not finished a pass yet"])
    }

    @Test func monitorWithoutAPassForTenSecondsIsAWarning() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        server.clock.advance(by: .seconds(10))
        #expect(try await warnings(server) == [])
        server.clock.advance(by: .seconds(1))
        #expect(try await warnings(server) == ["the deadline monitor is stuck since 11 s"])
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await warnings(server) == [])
    }

    /// Each failure postpones the deadline by a minute, so it doesn't stay due.
    @Test func unhandledDeadlineIsAWarningForTwoMinutes() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
        _ = try await server.network.checkIns.checkIn(id(1), occurredAt: noon, by: ada.caller)
        try await setNumber("x", of: ben, server)
        let warning = [
            "a deadline could not be handled, and its people may not be told; the log says why"
        ]
        for pause in [.hours(24), .minutes(1)] as [Duration] {
            server.clock.advance(by: pause)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await warnings(server) == warning)
        }

        try await setNumber(ben.number.text, of: ben, server)
        for _ in 1...2 {
            server.clock.advance(by: .minutes(1))
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await warnings(server) == warning)
        }
        server.clock.advance(by: .milliseconds(1))
        #expect(try await warnings(server) == [])
    }

    /// With an impossible number, the person can't be told of anything.
    private func setNumber(_ number: String, of person: Person, _ server: TestServer) async throws {
        try await server.database.engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE users SET phone_number = $1 WHERE id = $2", [.text(number), .id(person.id)])
        }
    }

    @Test func readinessIncludesOtherWarnings() async throws {
        let server = try TestServer { setup in
            setup.warnings = [{ ["the provider refuses"] }, { [] }, { ["the clock is wrong"] }]
        }
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await warnings(server) == ["the provider refuses", "the clock is wrong"])
    }

    @Test func unwritableDatabaseIsAProblemUntilAProbeSucceeds() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        server.database.fail(with: .diskFull(path: "/data"))
        #expect(try await problems(server) == ["the database can't be written: its disk is full"])
        server.database.fail(with: .failed("no such table"))
        #expect(try await problems(server) == ["the database can't be written"])
        server.database.fail(with: nil)
        #expect(try await problems(server) == [])
    }

    @Test func lostFileIsAProblemUntilItIsBack() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        let lost = DatabaseError.fileLost(path: "/data")
        server.database.fail(with: lost)
        #expect(try await problems(server) == ["\(lost)"])
        server.database.fail(with: nil)
        #expect(try await problems(server) == [])
    }

    /// Without the lock check-ins are stored, so a load balancer must keep the server.
    @Test func lostLockIsAWarningAndStopsTheHeartbeat() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        let probe = DatabaseProbe(server.database)
        server.database.pretendToLoseLock("/data.lock")
        let found = try await warnings(server)
        #expect(found.map { $0.hasPrefix("/data.lock was moved or deleted") } == [true])
        #expect(await probe.alarms() == found)
        server.database.pretendToLoseLock(nil)
        #expect(try await warnings(server) == [])
        #expect(await probe.alarms() == [])
    }

    /// A full disk refuses alerts but may still take check-ins, so a load balancer must keep the
    /// server.
    @Test func databaseShortOfSpaceIsAWarningAndStopsTheHeartbeat() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        let probe = DatabaseProbe(server.database)
        let words = "the disk of the database is full: it refuses some writes"
        server.database.pretendToLackSpace(true)
        #expect(try await warnings(server) == [words])
        #expect(await probe.alarms() == [words])
        #expect(server.database.probeCount == 2)
        server.database.pretendToLackSpace(false)
        #expect(try await warnings(server) == [])
        #expect(await probe.alarms() == [])
        #expect(server.database.probeCount == 2)
    }

    /// A probe of an unreachable database takes many seconds.
    @Test func readinessAnswersBeforeAProbeEnds() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        server.database.fail(with: .unreachable(path: "PostgreSQL db", reason: "it is away"))
        server.database.holdProbes()
        // Would not return if the server waited for the probe, which is released later.
        for _ in 0..<2 {
            #expect(try await problems(server) == ["the database can't be written"])
        }
        #expect(server.database.probeCount == 1)
        server.database.fail(with: nil)
        server.database.releaseProbes()
        #expect(try await problems(server) == [])
    }

    @Test func failingStatementIsAWarningUntilItSucceeds() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        try await TestDatabase.refuse("UPDATE", of: "probes", in: server.database.engine)
        try await server.database.engine.probe()
        await #expect(throws: DatabaseError.self) { try await server.database.engine.probe() }
        let found = try await warnings(server)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("statements fail: ") == true)
        try await TestDatabase.allowAgain(in: "probes", in: server.database.engine)
        try await server.database.engine.probe()
        #expect(try await warnings(server) == [])
        #expect(server.database.engine.health.refusedStatements == 1)
    }

    @Test func longWaitingWriteIsAProblem() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        server.database.pretendToWait(for: .seconds(5))
        #expect(try await problems(server) == [])
        server.database.pretendToWait(for: .milliseconds(5_001))
        let found = try await problems(server)
        let problem = try #require(found.first)
        #expect(problem.hasPrefix("the database is stuck") && !problem.contains("the last error"))
        server.database.fail(with: .unreachable(path: "PostgreSQL db", reason: "it is away"))
        #expect(
            try await problems(server).first?.hasSuffix(
                "; the last error: PostgreSQL db can't be reached: it is away") == true)
    }

    @Test func lateCommitsAreAProblem() async throws {
        let server = try TestServer()
        try await server.deadlineMonitor.handleDueDeadlines()
        let words = "commits to the database do not end: is a replica gone?"
        server.database.pretendCommitsAreLate(true)
        #expect(try await problems(server) == [words])
        #expect(server.database.probeCount == 1)
        server.database.pretendToWait(for: .seconds(6))
        let found = try await problems(server)
        #expect(found.count == 2 && found.last == words)
        server.database.pretendToWait(for: .zero)
        server.database.pretendCommitsAreLate(false)
        #expect(try await problems(server) == [])
    }

    /// A wrong clock may affect all servers. A load balancer must not remove them all.
    @Test func wrongClockIsAWarning() async throws {
        let (wall, real) = (TestClock(), TestClock())
        let clock = ServerClock(wall: { wall.now() }, monotonic: { real.now().since(noon) })
        let server = try TestServer { setup in
            setup.warnings = [{ ["the SMS provider refuses everything"] }]
            setup.serverClock = clock
        }
        try await server.deadlineMonitor.handleDueDeadlines()
        for time in [wall, real] { time.advance(by: .minutes(2)) }
        _ = clock.now()
        let fine = try StrictJSON.decode(
            Health.self, from: try await server.send("GET", "/health/ready").body)
        #expect(fine.warnings == ["the SMS provider refuses everything"])

        wall.advance(by: .hours(12))
        for time in [wall, real] { time.advance(by: .seconds(1)) }
        _ = clock.now()
        let answer = try await server.send("GET", "/health/ready")
        let health = try StrictJSON.decode(Health.self, from: answer.body)
        #expect(answer.status == 200)
        #expect(health.status == .ok)
        #expect(
            health.warnings.first?.contains(
                "the machine's clock is 43199 s ahead of the server's time") == true)
    }

    @Test func answersHaveTheEpochHeader() async throws {
        let server = try TestServer()
        #expect(try await server.send("GET", "/health/live").header(Endpoint.epoch) == nil)
        try await server.network.serverLife.wake()
        let epoch = try await server.send("GET", "/health/live").header(Endpoint.epoch)
        #expect(epoch == server.network.epoch.text && epoch != nil)
        #expect(try await server.send("GET", "/v1/me").header(Endpoint.epoch) == epoch)
    }

    @Test func failingLoopIsNamedInAWarning() async throws {
        let wakeup = Wakeup()
        let loop = BackgroundLoop(
            "webhooks", .init(wakeup: wakeup, now: { noon }), logger: LogBook().logger
        ) { throw DatabaseError.closed }
        let server = try TestServer { $0.loops = [loop] }
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await warnings(server) == [])
        let running = Task { try await loop.run() }
        while !loop.hasFailed { await Task.yield() }
        #expect(try await warnings(server) == ["webhooks fails"])
        running.cancel()
        try await running.value
    }
}
