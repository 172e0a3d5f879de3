import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// A server that has nothing to store records its time without a transaction.
@Suite struct SignOfLifeTests {
    private let environment = TestEnvironment()
    private let machine = Machine()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func start() async throws -> TestServer {
        let server = try TestServer(environment, path: folder.database, by: machine.clock())
        try await server.network.serverLife.wake()
        return server
    }

    private func state(of server: TestServer) async throws -> ServerState {
        try await server.engine.read { try $0.serverState() }
    }

    /// Returns whether the sign of life after this time was stored in the database.
    private func stores(
        _ server: TestServer, after duration: Duration, isIdle: Bool = true
    ) async throws -> Bool {
        let old = try await state(of: server).clock
        machine.pass(duration)
        let next = try await server.network.serverLife.giveCheapSignOfLife(isIdle: isIdle)
        let isStored = try await state(of: server).clock != old
        let pause =
            isStored ? ServerLife.pauseBetweenSignsOfLife : ServerLife.pauseBetweenNotes
        #expect(next?.since(server.network.now()) == pause)
        return isStored
    }

    @Test func onlyABusyServerStoresItsTime() async throws {
        let server = try await start()
        #expect(try await !stores(server, after: .seconds(5)))
        #expect(try await stores(server, after: .seconds(5), isIdle: false))
        #expect(try await !stores(server, after: .seconds(5)))
    }

    @Test func idleServerStoresItsTimeEvery15Minutes() async throws {
        let server = try await start()
        #expect(try await !stores(server, after: .minutes(15).minusAMillisecond))
        #expect(try await stores(server, after: .milliseconds(1)))
        #expect(try await !stores(server, after: .minutes(15).minusAMillisecond))
    }

    @Test func changedClockIsStored() async throws {
        let server = try await start()
        machine.pass(.minutes(2))
        _ = server.network.now()
        machine.setWall(by: .minutes(5))
        #expect(try await stores(server, after: .seconds(5)))
        #expect(try await stores(server, after: .seconds(5)))
    }

    @Test func databaseWithoutAFileStoresEverySign() async throws {
        let server = try TestServer(environment, by: machine.clock())
        try await server.network.serverLife.wake()
        #expect(try await stores(server, after: .seconds(5)))
    }

    /// The note would say that a server runs which can store nothing.
    @Test func serverWhoseDatabaseFailsStoresEverySign() async throws {
        let clock = machine.clock()
        let server = try TestServer(environment, path: folder.database, by: clock)
        var world = SafetyNetwork.Environment { _, _ in }
        world.clock = clock
        let failing = SafetyNetwork(
            database: FailedDatabase(engine: server.engine), options: server.network.options,
            key: server.network.key, environment: world)
        try await failing.serverLife.wake()
        let old = try await state(of: server).clock
        machine.pass(.seconds(5))
        _ = try await failing.serverLife.giveCheapSignOfLife(isIdle: true)
        #expect(try await state(of: server).clock != old)
        try server.engine.close()
    }

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(60).plusAMillisecond, true)])
    func killedServerMeasuresTheOutageFromTheNote(pause: Duration, isOutage: Bool) async throws {
        let killed = try await start()
        #expect(try await !stores(killed, after: .minutes(10)))
        try killed.engine.close()
        machine.pass(pause)
        let server = try await start()
        #expect(try await (state(of: server).outage != nil) == isOutage)
        #expect(server.network.now().since(machine.realTime) == .zero)
        try server.engine.close()
    }

    @Test func rebootedMachineMeasuresTheOutageFromTheNote() async throws {
        let killed = try await start()
        #expect(try await !stores(killed, after: .minutes(10)))
        try killed.engine.close()
        machine.reboot(after: .seconds(50))
        let server = try await start()
        #expect(try await state(of: server).outage == nil)
        try server.engine.close()
    }

    /// The note belongs to the database that was replaced.
    @Test func noteDoesNotExtendAnOlderCopy() async throws {
        let first = try await start()
        let backup = folder.database + ".copy"
        try first.engine.backUp(to: backup)
        #expect(try await stores(first, after: .minutes(5), isIdle: false))
        #expect(try await !stores(first, after: .seconds(5)))
        try first.engine.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.database + suffix)
        }
        try FileManager.default.moveItem(atPath: backup, toPath: folder.database)
        let server = try await start()
        #expect(try await state(of: server).outage?.to == server.network.now())
        try server.engine.close()
    }
}

/// A database whose last commit failed.
private struct FailedDatabase: WrappingDatabase {
    let engine: any DatabaseEngine

    var health: DatabaseHealth {
        var health = engine.health
        health.lastFailure = .closed
        return health
    }
}

@Suite struct UnevenClockTests {
    private let machine = Machine()

    /// A millisecond of slewing closes 0.05 ms of the gap.
    @Test(
        arguments: [
            (Duration.zero, false), (.milliseconds(100), false), (.milliseconds(-100), false),
            (.milliseconds(101), true), (.milliseconds(-101), true), (.hours(3), true),
        ])
    func clockIsUnevenWhileItClosesAGap(gap: Duration, isUneven: Bool) {
        let clock = machine.settledClock()
        machine.setWall(by: gap)
        machine.pass(.milliseconds(1))
        _ = clock.now()
        #expect(clock.isUneven == isUneven)
    }

    @Test func clockIsUnevenUntilTheRowsAreCorrected() throws {
        let clock = machine.settledClock()
        machine.synchronise()
        machine.setWall(by: .hours(3))
        machine.pass(.seconds(1))
        _ = clock.now()
        #expect(clock.isUneven)
        clock.settle(try #require(clock.correction))
        #expect(!clock.isUneven)
    }
}

#if os(Linux)
@Suite struct ClockSetWatchTests {
    @Test func watchEndsWithoutANotice() throws {
        let watch = try #require(ClockSetWatch { Issue.record("the clock was set") })
        watch.end()
        watch.end()
    }
}
#endif
