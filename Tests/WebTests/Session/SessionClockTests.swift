import Testing

@testable import LivePages
@testable import Web

@Suite(.timeLimit(.minutes(5))) struct SessionClockTests {
    private let clock = SessionClock()

    @Test func sleepDoesNotEndEarly() async throws {
        let begin = clock.now
        try await clock.sleep(until: begin + .milliseconds(2), tolerance: nil)
        #expect(clock.now >= begin + .milliseconds(2))
    }

    @Test func passedDeadlineReturnsAtOnce() async throws {
        try await clock.sleep(until: clock.now, tolerance: nil)
        try await clock.sleep(until: clock.now - .seconds(86_400), tolerance: nil)
    }

    @Test func cancellationEndsSleepAtOnce() async {
        let task = Task { try await clock.sleep(for: .seconds(86_400 * 365 * 1_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
    }

    @Test func cancelledSleepsFreeTheirEntries() async {
        let schedule = SleepSchedule()
        let tasks = (1...500).map { hours in
            Task { try await schedule.sleep(until: .now + .seconds(3_600 * hours)) }
        }
        while schedule.counts.entries < tasks.count { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(schedule.counts.sleeps == 0 && schedule.counts.entries <= 64)
    }

    @Test func shorterSleepEndsBeforeLongerOne() async throws {
        let schedule = SleepSchedule()
        let long = Task { try await schedule.sleep(until: .now + .seconds(86_400)) }
        while schedule.counts.entries < 1 { await Task.yield() }
        try await schedule.sleep(until: .now + .milliseconds(2))
        long.cancel()
    }

    @Test func earliestDeadlinesComeFirst() {
        var (queue, random) = (DeadlineQueue(), SystemRandomNumberGenerator())
        let begin = ContinuousClock.now
        for number in (0..<200).shuffled(using: &random) {
            queue.insert(number, at: begin + .seconds(number))
        }
        #expect(queue.first == begin)
        #expect(queue.removeDue(at: begin + .seconds(49)) == Array(0..<50))
        queue.keep { $0.isMultiple(of: 3) }
        #expect(queue.removeDue(at: begin + .seconds(300)) == (50..<200).filter { $0 % 3 == 0 })
        #expect(queue.count == 0 && queue.first == nil)
    }

    @Test func eachOfManySleepsEndsOnce() async {
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
