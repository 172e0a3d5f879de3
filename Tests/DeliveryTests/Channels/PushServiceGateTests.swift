import Domain
import Foundation
import Synchronization
import Testing

@testable import Delivery

@Suite struct PushServiceGateTests {
    private let clock = TestClock()
    private let patience = Patience()

    /// Replaces the gate's wait. Calls of `wait` return when the test calls `end`.
    private final class Patience: Sendable {
        private let state = Mutex<(isOver: Bool, waiting: [CheckedContinuation<Void, Never>])>(
            (false, []))

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        }

        func end() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private func gate() -> PushServiceGate {
        PushServiceGate(
            share: 3, now: { [clock] in clock.now() },
            sleep: { [patience] _ in await patience.wait() })
    }

    private func fill(_ gate: PushServiceGate) async {
        for _ in 0..<3 { #expect(await gate.enter("a")) }
    }

    /// Starts a task that enters the gate. Returns once the task waits there.
    private func wait(_ gate: PushServiceGate) async -> Task<Bool, Never> {
        let before = gate.waiting(at: "a")
        let task = Task { await gate.enter("a") }
        while gate.waiting(at: "a") == before { await Task.yield() }
        return task
    }

    @Test func messagesBeyondTheShareWait() async {
        let gate = gate()
        await fill(gate)
        let (fourth, fifth) = (await wait(gate), await wait(gate))
        #expect(await gate.enter("b"))
        gate.leave("a", isAnswered: true)
        #expect(await fourth.value)
        #expect(gate.waiting(at: "a") == 1)
        gate.leave("a", isAnswered: false)
        #expect(await fifth.value)
        patience.end()
        // The fourth and fifth have entered, so the end of their waits doesn't affect them. Three
        // messages are in flight.
        for _ in 0..<3 { gate.leave("a", isAnswered: true) }
        await fill(gate)
    }

    @Test func waitForAHangingServiceIsShort() async {
        let gate = gate()
        await fill(gate)
        let fourth = await wait(gate)
        patience.end()
        #expect(await !fourth.value)
        #expect(gate.waiting(at: "a") == 0)
        clock.advance(by: PushServiceGate.patience)
        #expect(await !gate.enter("a"))
        #expect(gate.waiting(at: "a") == 0)
        gate.leave("a", isAnswered: true)
        #expect(await gate.enter("a"))
    }

    @Test func waitingMessagesAreReleasedWhenTheServiceFails() async {
        let gate = gate()
        for _ in 0..<(PushServiceGate.failureLimit - 1) {
            #expect(await gate.enter("a"))
            gate.leave("a", isAnswered: false)
        }
        await fill(gate)
        let fourth = await wait(gate)
        gate.leave("a", isAnswered: false)
        #expect(await !fourth.value)
        patience.end()
    }

    @Test func recoveredServiceAcceptsMessagesAtOnce() async {
        let gate = gate()
        func fail() async -> Bool {
            let hasEntered = await gate.enter("a")
            if hasEntered { gate.leave("a", isAnswered: false) }
            return hasEntered
        }
        for _ in 0..<PushServiceGate.failureLimit { #expect(await fail()) }
        #expect(await fail())
        #expect(await !gate.enter("a"))
        clock.advance(by: PushServiceGate.pauseBetweenProbes)
        #expect(await gate.enter("a"))
        #expect(await !gate.enter("a"))
        gate.leave("a", isAnswered: true)
        await fill(gate)
    }

    @Test func answeredMessagesNeverCloseTheGate() async {
        let gate = gate()
        for _ in 0..<100 {
            #expect(await gate.enter("a"))
            gate.leave("a", isAnswered: true)
        }
    }

    @Test func serviceIsStuckOnlyAfterThePatience() async {
        let gate = gate()
        await fill(gate)
        clock.advance(by: PushServiceGate.patience - .milliseconds(1))
        let fourth = await wait(gate)
        gate.leave("a", isAnswered: true)
        #expect(await fourth.value)
        patience.end()
    }

    @Test func failingServiceIsProbedOncePerPause() async {
        let gate = gate()
        for _ in 0...PushServiceGate.failureLimit {
            #expect(await gate.enter("a"))
            gate.leave("a", isAnswered: false)
        }
        clock.advance(by: PushServiceGate.pauseBetweenProbes - .milliseconds(1))
        #expect(await !gate.enter("a"))
        // A clock that was set back must not end the probes.
        clock.advance(by: .zero - .minutes(1))
        #expect(await gate.enter("a"))
    }
}
