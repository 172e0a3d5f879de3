import Domain
import Foundation
import SafetyNetwork
import Testing

@testable import Simulation

/// The loops of a simulated server. Each test begins after a pass of every loop.
@Suite struct ServerLoopsTests {
    private let time = SimulatedTime(start: SimulatedTime.start(of: 1))
    private let loops: ServerLoops
    private let start: Date

    init() {
        start = time.now
        loops = ServerLoops(time: time)
        for loop in ServerLoops.all {
            let isReady = loops.isAwake(loop) && loops.mustWork(loop, at: start, isEven: true)
            #expect(isReady)
            loops.rest(loop, until: nil, at: start, isEven: true)
        }
        _ = loops.takeStale()
    }

    private func pass(_ span: Duration) { time.advance(to: time.now.adding(span)) }

    private func mustWork(_ loop: ServerLoops.Loop) -> Bool {
        loops.isAwake(loop) && loops.mustWork(loop, at: time.now, isEven: true)
    }

    @Test func loopsSleepWithoutWork() {
        pass(.days(30))
        for loop in ServerLoops.all { #expect(!mustWork(loop)) }
        #expect(loops.nextEnd > time.now.adding(.days(365)))
    }

    @Test func deliveriesWakeEachWorkerOnly() {
        loops.call(LoopCalls(deliveries: true))
        for lane in ServerLoops.lanes { #expect(mustWork(.lane(lane))) }
        #expect(!mustWork(.deadlines))
    }

    @Test func plannedTimeEndsTheSleep() {
        loops.rest(.deadlines, until: start.adding(.hours(1)), at: start, isEven: true)
        loops.note([.deadlines: start.adding(.hours(1))], at: start)
        #expect(loops.nextEnd == start.adding(.hours(1)))
        time.advance(to: start.adding(.hours(1)))
        #expect(mustWork(.deadlines))
        #expect(loops.delay(of: .deadlines, at: time.now) == .zero)
    }

    @Test func newsWithoutDueRowsCostNoPass() {
        loops.call(LoopCalls(deadlines: start.adding(.hours(2))))
        loops.note([.deadlines: start.adding(.hours(2))], at: start)
        #expect(mustWork(.deadlines))
        loops.rest(.deadlines, until: start.adding(.hours(2)), at: start, isEven: true)
        for _ in 0..<5 {
            pass(.minutes(1))
            loops.call(LoopCalls())
            #expect(!mustWork(.deadlines))
        }
    }

    /// The second commit within five seconds finds the worker in a short sleep.
    @Test func forgottenSignalIsLate() {
        pass(.hours(1))
        loops.call(LoopCalls())
        for loop in ServerLoops.all { #expect(!mustWork(loop)) }
        pass(.seconds(2))
        let due = time.now
        loops.call(LoopCalls())
        loops.note([.lane(0): due], at: due)
        #expect(!mustWork(.lane(0)))
        #expect(loops.nextEnd == due.adding(.seconds(3)))
        pass(.seconds(3))
        #expect(mustWork(.lane(0)))
        #expect(loops.delay(of: .lane(0), at: time.now) == .seconds(3))
    }

    @Test func rowOutsideOfThePlanIsLate() {
        let due = start.adding(.hours(1))
        loops.note([.deadlines: due], at: start)
        time.advance(to: due.adding(.minutes(10)))
        loops.call(LoopCalls())
        #expect(mustWork(.deadlines))
        #expect(loops.delay(of: .deadlines, at: time.now) == .minutes(10))
    }

    @Test func rowThatIsWrittenLateIsNotLate() {
        pass(.hours(1))
        loops.call(LoopCalls(deadlines: start.adding(.minutes(5))))
        loops.note([.deadlines: start.adding(.minutes(5))], at: time.now)
        #expect(mustWork(.deadlines))
        #expect(loops.delay(of: .deadlines, at: time.now) == .zero)
    }

    @Test func takenPlacesExcuseAWorker() {
        loops.rest(.lane(1), until: nil, at: start, isEven: true, isHeldUp: true)
        loops.note([.lane(1): start.adding(.seconds(1))], at: start)
        pass(.minutes(1))
        loops.wake(.lane(1))
        #expect(mustWork(.lane(1)))
        #expect(loops.delay(of: .lane(1), at: time.now) == .zero)
    }

    @Test func failedPassIsRepeated() {
        loops.restAfterFailure(.deadlines, at: start)
        #expect(!mustWork(.deadlines))
        #expect(loops.nextEnd == start.adding(.seconds(5)))
        pass(.seconds(5))
        #expect(mustWork(.deadlines))
    }
}
