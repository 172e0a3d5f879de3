import Testing

@testable import LivePages
@testable import Web

@Suite(.timeLimit(.minutes(5))) struct SessionClockTests {
    private let clock = SessionClock()

    @Test func aSleepEndsByItselfAndNotTooEarly() async throws {
        let begin = clock.now
        try await clock.sleep(until: begin + .milliseconds(2), tolerance: nil)
        #expect(clock.now >= begin + .milliseconds(2))
    }

    @Test func aDeadlineThatHasPassedDoesNotSleep() async throws {
        try await clock.sleep(until: clock.now, tolerance: nil)
        try await clock.sleep(until: clock.now - .seconds(86_400), tolerance: nil)
    }

    @Test func whoIsCancelledWakesAtOnce() async {
        let task = Task { try await clock.sleep(for: .seconds(86_400 * 365 * 1_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
    }

    @Test func nothingIsLeftOfASleepThatWasCancelled() async throws {
        weak var remembered: SessionSleep?
        do {
            let sleep = SessionSleep()
            remembered = sleep
            let task = Task { try await sleep.run(.seconds(86_400)) }
            while !sleep.hasBegun { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        while remembered != nil { await Task.yield() }
    }

    @Test func manySleepsEndOrAreCancelledEachOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask { [clock] in
                    let task = Task { try await clock.sleep(for: .microseconds(number)) }
                    if number.isMultiple(of: 2) { task.cancel() }
                    _ = await task.result
                }
            }
        }
    }
}
