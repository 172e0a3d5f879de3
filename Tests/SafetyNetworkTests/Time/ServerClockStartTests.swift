import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The time that a server process starts with, and its later correction.
@Suite struct ServerClockStartTests {
    let machine = Machine()

    /// Returns what an earlier process on this machine stored after an hour.
    private func memory(wallOff error: Duration = .zero) -> ClockMemory {
        machine.setWall(by: error)
        let clock = machine.clock()
        machine.pass(.hours(1))
        return clock.memory
    }

    private func start(_ memory: ClockMemory?) -> ServerClock {
        let clock = machine.clock()
        clock.start(remembering: memory)
        return clock
    }

    private func isRight(_ clock: ServerClock) -> Bool {
        clock.now().since(machine.realTime).magnitude <= .milliseconds(1)
    }

    // MARK: The kernel knows whether the clock is right

    @Test(arguments: [Duration.minutes(50), .minutes(-50), .days(2), .days(-2)])
    func aSynchronisedWallClockWinsAtTheStart(error: Duration) {
        let memory = memory(wallOff: error)
        machine.correct()
        machine.synchronise()
        machine.pass(.seconds(2))
        let clock = start(memory)
        #expect(isRight(clock))
        #expect(clock.correction?.by.magnitude == error.magnitude)
    }

    @Test(arguments: [Duration.minutes(50), .minutes(-50), .days(2), .days(-2)])
    func aSynchronisedWallClockWinsWhileRunning(error: Duration) {
        machine.setWall(by: error)
        let clock = machine.settledClock()
        machine.pass(.hours(3))
        _ = clock.now()
        machine.correct()
        machine.synchronise()
        machine.pass(.seconds(1))
        #expect(isRight(clock))
        #expect(clock.correction?.by == .zero - error)
        #expect(clock.correction?.since == noon.adding(error))
    }

    /// A correction changes only times recorded since the clock became wrong.
    @Test func aCorrectionReachesBackToTheWrongStep() {
        let clock = machine.settledClock()
        machine.pass(.days(3))
        let step = clock.now()
        machine.setWall(by: .minutes(-50))
        machine.pass(.seconds(1))
        _ = clock.now()
        // The server's time has reached the wrong clock: 5 % of 20 hours is an hour.
        machine.pass(.hours(20))
        #expect(clock.now() == machine.wall)
        machine.correct()
        machine.synchronise()
        machine.pass(.seconds(1))
        #expect(isRight(clock))
        #expect(clock.correction?.by == .minutes(50))
        #expect(clock.correction.map { $0.since >= step } == true)
    }

    /// A virtual machine was paused for two hours, which stopped both of its clocks. The time that
    /// the kernel had confirmed before stays.
    @Test(arguments: [
        (ServerClock.longestPoll.minusAMillisecond, false), (ServerClock.longestPoll, true),
    ])
    func correctionSparesConfirmedTime(confirmedAgain: Duration, isProven: Bool) {
        machine.synchronise()
        let clock = machine.settledClock()
        machine.pass(confirmedAgain)
        _ = clock.now()
        machine.setWall(by: .hours(2))
        machine.pass(.seconds(1))
        #expect(clock.now().since(machine.wall) == .zero)
        #expect(clock.correction?.by == .hours(2))
        #expect(clock.correction?.since == (isProven ? noon.adding(.minutes(1)) : noon))
    }

    @Test func correctionSparesTheLatestConfirmedTime() {
        machine.synchronise()
        let clock = machine.settledClock()
        for _ in 1...10 {
            machine.pass(.minutes(30))
            _ = clock.now()
        }
        machine.setWall(by: .hours(2))
        machine.pass(.seconds(1))
        #expect(clock.now() == machine.wall)
        // The last confirmations count after an hour each: at 241 and at 301 minutes.
        #expect(clock.correction?.since == noon.adding(.minutes(241)))
    }

    /// The time daemon sets the clock first, and tells the kernel later.
    @Test func kernelMayConfirmAfterTheStep() {
        machine.setWall(by: .minutes(-50))
        let clock = machine.settledClock()
        machine.correct()
        for _ in 1...30 {
            machine.pass(.seconds(10))
            _ = clock.now()
        }
        #expect(!isRight(clock))
        machine.synchronise()
        machine.pass(.seconds(1))
        #expect(isRight(clock))
    }

    @Test func confirmationIsStaleAfterAStep() {
        machine.synchronise()
        let clock = machine.settledClock()
        machine.setWall(by: .hours(12))
        machine.synchronise(false)
        machine.pass(.milliseconds(10))
        #expect(clock.now().since(machine.realTime) <= .milliseconds(1))
        #expect(!clock.isSynchronised)
    }

    // MARK: The kernel doesn't know whether the clock is right

    @Test(arguments: [(Duration.seconds(60).minusAMillisecond, true), (.seconds(60), false)])
    func startWithoutMemoryFollowsStepsForAMinute(after: Duration, isBelieved: Bool) {
        machine.setWall(by: .minutes(-50))
        let clock = machine.clock()
        machine.pass(after - .milliseconds(1))
        _ = clock.now()
        machine.correct()
        machine.pass(.milliseconds(1))
        #expect(isRight(clock) == isBelieved)
    }

    @Test(arguments: [Duration.minutes(-50), .days(2)])
    func timeContinuesWithinOneBoot(error: Duration) {
        let memory = memory()
        machine.pass(.minutes(10))
        machine.setWall(by: error)
        let clock = start(memory)
        #expect(isRight(clock))
        #expect(clock.knownError == error)
        #expect(clock.lastSignOfLife == noon.adding(.hours(1)))
        machine.pass(.seconds(2))
        #expect(clock.now().since(machine.realTime).magnitude <= .milliseconds(100))
        machine.correct()
        machine.pass(.milliseconds(1))
        #expect(clock.now().since(machine.realTime).magnitude <= .milliseconds(100))
        #expect(clock.knownError == .zero)
    }

    @Test func wallClockIsTrustedAfterAShutdown() {
        let memory = memory()
        machine.reboot(after: .hours(9))
        let clock = start(memory)
        #expect(isRight(clock))
        #expect(clock.lastSignOfLife == noon.adding(.hours(1)))
        #expect(clock.correction == nil)
    }

    /// The machine's clock has no battery and starts in the past.
    @Test func timeNeverGoesBackWhileTheMachineIsDown() {
        let memory = memory()
        machine.reboot(after: .minutes(2), error: .days(-300))
        let clock = start(memory)
        #expect(clock.now() == noon.adding(.hours(1)))
        #expect(clock.knownError < .days(-299))
        machine.pass(.hours(1))
        #expect(clock.now() == noon.adding(.hours(2)))
        machine.correct()
        machine.pass(.seconds(1))
        #expect(isRight(clock))
        #expect(clock.correction?.by == .minutes(2))
        // Until the reboot, the time was right.
        #expect(clock.correction?.since == noon.adding(.hours(1)))
    }

    /// The second start can't know the time either. It also corrects what the first one recorded.
    @Test func timeIsBehindSinceTheFirstOfTwoReboots() {
        let memory = memory()
        machine.reboot(after: .minutes(2), error: .days(-300))
        let first = start(memory)
        machine.pass(.hours(1))
        let later = first.memory
        #expect(later.trust == .atLeast)
        machine.reboot(after: .minutes(1), error: .days(-300))
        let second = start(later)
        #expect(second.now() == noon.adding(.hours(2)))
        machine.correct()
        machine.pass(.seconds(1))
        #expect(isRight(second))
        #expect(second.correction?.by == .minutes(3))
        #expect(second.correction?.since == noon.adding(.hours(1)))
    }

    /// Only a doubtful clock showed this time, so a later clock may show an earlier one.
    @Test func aDoubtfulTimeIsNoLowerBound() {
        let running = machine.settledClock()
        machine.setWall(by: .days(2))
        machine.pass(.hours(10))
        let memory = running.memory
        machine.reboot(after: .minutes(1))
        let clock = start(memory)
        #expect(isRight(clock))
        #expect(clock.correction?.by == .minutes(-29))
    }

    @Test func distrustOutlivesARestart() {
        let running = machine.settledClock()
        machine.setWall(by: .hours(12))
        machine.pass(.minutes(10))
        let clock = start(running.memory)
        #expect(clock.now().since(machine.realTime) == .seconds(30))
        machine.setWall(by: .hours(-12))
        machine.pass(.seconds(1))
        #expect(isRight(clock))
    }

    @Test func wallClockIsUsedWithoutMemory() {
        machine.setWall(by: .days(2))
        #expect(start(nil).now() == machine.wall)
    }

    @Test(arguments: [(Duration.seconds(5), false), (.seconds(5).plusAMillisecond, true)])
    func anErrorOfMoreThanFiveSecondsIsReported(error: Duration, isReported: Bool) {
        let clock = machine.settledClock()
        machine.setWall(by: error)
        machine.pass(.microseconds(1))
        _ = clock.now()
        #expect((clock.warning != nil) == isReported)
        #expect((clock.knownError != .zero) == isReported)
    }

    // MARK: This machine

    @Test func machineCountsUpAndKnowsItsBoot() throws {
        let first = MachineClock.sinceBoot()
        #expect(first > .zero)
        #expect(MachineClock.sinceBoot() >= first)
        let folder = try TestFolder()
        let path = folder.path + "/boot_id"
        try Data("00000000-0000-0001-0000-000000000000\n".utf8).write(
            to: URL(fileURLWithPath: path))
        #expect(MachineClock.bootID(at: path) == 1)
        #expect(MachineClock.bootID(at: folder.path + "/none") == nil)
        _ = MachineClock.isSynchronised()
    }
}
