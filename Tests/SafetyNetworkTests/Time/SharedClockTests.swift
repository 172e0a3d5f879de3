import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import SafetyNetwork

/// Several servers share a database, and their time follows the database's clock.
@Suite struct SharedClockTests {
    let database = Machine()

    /// - Parameter machine: counts the server's elapsed time; nil for the database's machine.
    private func server(
        _ memory: ClockMemory? = nil, trusts: Bool = false, on machine: Machine? = nil
    ) -> ServerClock {
        let clock = ServerClock(
            wall: { database.wall }, monotonic: { (machine ?? database).real },
            shared: ServerClock.Shared(isTrusted: trusts))
        clock.start(remembering: memory)
        return clock
    }

    /// After a step of the clock, the time must change slowly. The servers notice the step at
    /// different moments, so a jump would make them disagree.
    @Test(arguments: [Duration.hours(12), .hours(-12), .seconds(3), .seconds(-3)])
    func stepSlewsTheTimeByAtMost5Percent(step: Duration) {
        let clock = server()
        database.setWall(by: step)
        var last = clock.now()
        for pause in [Duration.milliseconds(1), .seconds(1), .minutes(1), .hours(5)] {
            database.pass(pause)
            let now = clock.now()
            #expect(now.since(last) >= pause * 95 / 100 - .milliseconds(1))
            #expect(now.since(last) <= pause * 105 / 100 + .milliseconds(1))
            #expect(clock.correction == nil)
            last = now
        }
    }

    @Test func thereAndBackCorrectsNoRows() {
        let clock = server()
        database.setWall(by: .hours(2))
        database.pass(.hours(1))
        _ = clock.now()
        database.setWall(by: .hours(-2))
        database.pass(.seconds(1))
        _ = clock.now()
        #expect(clock.correction == nil)
        #expect(clock.gap.magnitude > .minutes(1))
    }

    @Test(arguments: [Duration.hours(2), .hours(-2)])
    func startingServerHasTheOthersTime(step: Duration) {
        let first = server()
        database.setWall(by: step)
        database.pass(.minutes(5))
        let memory = first.memory
        database.pass(.seconds(4))
        let second = server(memory)
        for pause in [Duration.zero, .seconds(1), .hours(10), .hours(100)] {
            database.pass(pause)
            let gap = first.now().since(second.now()).magnitude
            // During the four seconds, the first server continued to approach the new time.
            #expect(gap <= .milliseconds(200) + .milliseconds(1))
        }
    }

    @Test func timeNeverGoesBackFromAnEarlierMachine() {
        let memory = ClockMemory(
            time: noon.adding(.minutes(3)), since: noon, trust: .full, boot: .hours(1), bootID: 77)
        #expect(server(memory).now() == noon.adding(.minutes(3)))
        #expect(server(memory, trusts: true).now() == noon)
    }

    /// The rows were written by the time that the servers had before.
    @Test(arguments: [Duration.hours(2), .hours(-2)])
    func trustedStartCorrectsTheFormerTime(step: Duration) {
        let first = server()
        database.setWall(by: step)
        database.pass(.minutes(5))
        let memory = first.memory
        database.pass(.minutes(1))
        let former = memory.time.adding(.minutes(1))
        let second = server(memory, trusts: true)
        #expect(second.now() == database.wall)
        let by = database.wall.since(former)
        #expect(second.correction.map { ($0.by - by).magnitude <= .milliseconds(1) } == true)
        #expect(second.correction?.since == noon)
        #expect(second.lastSignOfLife == database.wall.adding(.minutes(-1)))
        #expect(
            second.correction.map { $0.until.since(former).magnitude <= .milliseconds(1) } == true)
        // The next server starts from this state, and corrects nothing.
        #expect(server(second.memory, trusts: true).correction == nil)
    }

    @Test(arguments: [
        (Duration.seconds(1), false), (.milliseconds(1_001), true), (.seconds(-1), false),
        (.milliseconds(-1_001), true),
    ])
    func trustedStartCorrectsMoreThanASecond(gap: Duration, isCorrected: Bool) {
        let memory = ClockMemory(
            time: noon.adding(.zero - gap), since: noon.adding(.days(-1)), trust: .full,
            boot: .milliseconds(noon.milliseconds), bootID: ServerClock.Shared.bootID)
        #expect((server(memory, trusts: true).correction != nil) == isCorrected)
        #expect(server(memory).correction == nil)
    }

    /// A server that starts between the wrong time and its correction must not hide its beginning.
    @Test func wrongTimeBeganBeforeAnUntrustedStart() {
        let first = server()
        database.setWall(by: .hours(2))
        database.pass(.minutes(5))
        let second = server(first.memory)
        database.pass(.minutes(5))
        #expect(server(second.memory, trusts: true).correction?.since == noon)
    }

    /// After each power failure, the database's clock starts in the past. The time was right until
    /// the first one.
    @Test(arguments: 1...2)
    func correctionSparesTheTimeBeforeAPowerFailure(failures: Int) {
        var running = server()
        database.pass(.hours(1))
        for _ in 1...failures {
            let memory = running.memory
            database.setWall(by: .days(-300))
            database.pass(.minutes(2))
            running = server(memory)
            database.pass(.hours(1))
        }
        #expect(running.now() < database.realTime)
        database.correct()
        database.pass(.seconds(1))
        let last = server(running.memory, trusts: true)
        #expect(last.now() == database.realTime)
        #expect(last.correction.map { $0.by > .zero } == true)
        #expect(last.correction?.since == noon.adding(.hours(1)))
    }

    @Test func lastSignOfLifeIsAnyServers() {
        let first = server()
        database.pass(.minutes(1))
        let memory = first.memory
        database.pass(.hours(1))
        let second = server(memory)
        #expect(second.lastSignOfLife == noon.adding(.minutes(1)))
        #expect(second.now() == noon.adding(.minutes(61)))
    }

    // MARK: A server whose machine was paused with all its clocks

    private func isNear(_ time: Date, _ other: Date) -> Bool {
        time.since(other).magnitude <= .milliseconds(1)
    }

    @Test(arguments: [
        (Duration.milliseconds(500), false), (.seconds(1), false), (.milliseconds(1_001), true),
        (.minutes(45), true),
    ])
    func serverMoreThanASecondBehindJumps(pause: Duration, jumps: Bool) {
        let machine = Machine()
        let (other, paused) = (server(), server(on: machine))
        for one in [database, machine] { one.pass(.minutes(5)) }
        let former = paused.now()
        database.pass(pause)
        let stored = other.memory
        #expect(isNear(paused.memory(replacing: stored).time, stored.time))
        #expect(isNear(paused.now(), jumps ? stored.time : former))
        #expect(paused.correction == nil)
    }

    @Test func pausedServerHasTheOthersTimeAfterTheJump() {
        let machine = Machine()
        let (other, paused) = (server(), server(on: machine))
        database.pass(.minutes(45))
        let stored = other.memory
        for one in [database, machine] { one.pass(.seconds(4)) }
        #expect(paused.memory(replacing: stored).time > stored.time)
        #expect(isNear(paused.now(), other.now()))
        for one in [database, machine] { one.pass(.hours(1)) }
        #expect(isNear(paused.now(), other.now()))
    }

    /// Another server has stored its time before the jump, or after it.
    @Test(arguments: [Duration.hours(2), .hours(-2)])
    func jumpOfTheDatabasesClockMovesNoServer(step: Duration) {
        let (first, second) = (server(), server())
        database.pass(.minutes(5))
        _ = first.now()
        let before = second.memory
        database.setWall(by: step)
        database.pass(.seconds(4))
        let time = first.now()
        for stored in [before, second.memory] {
            #expect(first.memory(replacing: stored).time >= stored.time)
            #expect(first.now() == time)
        }
    }

    /// An earlier stored time would look like an outage to the others.
    @Test func pausedServerStoresTheOthersTime() async throws {
        let server = try TestServer(now: { [database] in database.realTime })
        let machine = Machine()
        let clock = self.server(on: machine)
        let other = network(of: server, by: self.server())
        let paused = network(of: server, by: clock)
        for network in [other, paused] { try await network.serverLife.wake() }
        for _ in 1...3 {
            database.pass(.seconds(50))
            try await other.serverLife.giveSignOfLife()
        }
        machine.pass(.milliseconds(1))
        #expect(clock.now() < noon.adding(.seconds(1)))
        for network in [paused, other] { try await network.serverLife.giveSignOfLife() }
        #expect(isNear(clock.now(), database.realTime))
        let state = try await server.engine.read { try $0.serverState() }
        #expect(state.outage == nil)
        #expect(state.clock.map { isNear($0.time, database.realTime) } == true)
    }

    // MARK: A start after a step of the database's clock

    /// A start before the next sign of life can't tell the step from an outage.
    @Test func startAfterAStepWaitsForTheOthersTime() async throws {
        let server = try TestServer(now: { [database] in database.realTime })
        let (otherClock, clock) = (self.server(), self.server())
        let other = network(of: server, by: otherClock)
        try await other.serverLife.wake()
        database.pass(.seconds(5))
        try await other.serverLife.giveSignOfLife()
        database.pass(.seconds(3))
        database.setWall(by: .hours(1))
        let third = network(of: server, by: clock) { [database] in
            database.pass($0)
            try await other.serverLife.giveSignOfLife()
        }
        try await third.serverLife.wake()
        #expect(clock.now().since(otherClock.now()).magnitude <= .seconds(1))
        #expect(clock.now().since(database.realTime).magnitude <= .seconds(1))
        #expect(clock.warning?.contains("ahead of") == true)
        let state = try await server.engine.read { try $0.serverState() }
        #expect(state.outage == nil)
    }

    /// Without another server, the start follows the database's clock.
    @Test(arguments: [(Duration.seconds(60), 0), (.milliseconds(60_001), 1), (.hours(2), 1)])
    func onlyAStartAfterAnOutageWaits(outage: Duration, waits: Int) async throws {
        let server = try TestServer(now: { [database] in database.realTime })
        try await network(of: server, by: self.server()).serverLife.wake()
        database.pass(outage)
        let clock = self.server()
        let pauses = Mutex(0)
        let next = network(of: server, by: clock) { [database] in
            database.pass($0)
            pauses.withLock { $0 += 1 }
        }
        try await next.serverLife.wake()
        #expect(pauses.withLock { $0 } == waits)
        #expect(isNear(clock.now(), database.realTime))
        let state = try await server.engine.read { try $0.serverState() }
        #expect((state.outage != nil) == (waits == 1))
    }

    private func network(
        of server: TestServer, by clock: ServerClock,
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> SafetyNetwork {
        var world = SafetyNetwork.Environment { _, _ in }
        world.clock = clock
        world.pause = pause
        return SafetyNetwork(
            database: CheckedDatabase(server.engine, isShared: true),
            options: server.network.options, key: server.network.key, environment: world)
    }

    @Test func theWarningNamesTheDatabase() {
        let clock = server()
        #expect(clock.warning == nil)
        database.setWall(by: .minutes(2))
        database.pass(.seconds(1))
        _ = clock.now()
        #expect(clock.warning?.hasPrefix("the database's clock is 119 s ahead of") == true)
    }
}
