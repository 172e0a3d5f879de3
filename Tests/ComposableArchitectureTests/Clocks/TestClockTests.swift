import Testing

@testable import ComposableArchitecture

@Suite struct TestClockTests {
    private let log = LockIsolated<[String]>([])

    @Test func timeStopsUntilAdvanced() async throws {
        let clock = TestClock()
        let task = Task { [log] in
            try await clock.sleep(for: .seconds(1))
            log.withValue { $0.append("woken") }
        }
        // A sleep that begins after the advance would end later.
        while clock.sleeperCount < 1 { await Task.yield() }
        await clock.advance(by: .milliseconds(999))
        #expect(log.value.isEmpty)
        #expect(clock.now.offset == .milliseconds(999))
        await clock.advance(by: .milliseconds(1))
        #expect(log.value == ["woken"])
        try await task.value
    }

    @Test func sleepersWakeInDeadlineOrder() async {
        let clock = TestClock()
        for seconds in [3, 1, 2] {
            Task { [log] in
                try await clock.sleep(for: .seconds(seconds))
                log.withValue { $0.append("\(seconds) at \(clock.now.offset.components.seconds)") }
            }
        }
        await clock.advance(by: .seconds(3))
        #expect(log.value == ["1 at 1", "2 at 2", "3 at 3"])
    }

    @Test func sleepBegunDuringAdvanceIsWoken() async {
        let clock = TestClock()
        Task { [log] in
            for _ in 1...3 {
                try await clock.sleep(for: .seconds(1))
                log.withValue { $0.append("\(clock.now.offset)") }
            }
        }
        await clock.advance(by: .seconds(2))
        #expect(log.value == ["1.0 seconds", "2.0 seconds"])
        await clock.advance(by: .seconds(8))
        #expect(log.value == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
        #expect(clock.now.offset == .seconds(10))
    }

    @Test func advanceNeverGoesBack() async {
        let clock = TestClock<Duration>(now: .init(offset: .seconds(5)))
        await clock.advance(to: .init(offset: .seconds(7)))
        #expect(clock.now.offset == .seconds(7))
        await clock.advance(to: .init(offset: .seconds(6)))
        #expect(clock.now.offset == .seconds(7))
    }

    @Test func pastDeadlineDoesNotSleep() async throws {
        let clock = TestClock()
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
    }

    @Test func zeroSleepWaitsForNextAdvance() async throws {
        let clock = TestClock()
        let task = Task { [log] in
            try await clock.sleep(for: .zero)
            log.withValue { $0.append("woken") }
        }
        while clock.sleeperCount < 1 { await Task.yield() }
        #expect(log.value.isEmpty)
        await clock.advance()
        #expect(log.value == ["woken"])
        try await task.value
    }

    @Test func cancelledSleepThrows() async {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await Task.megaYield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
        await #expect(throws: Never.self) { try await clock.checkSuspension() }
    }

    @Test func checkSuspension() async throws {
        let clock = TestClock()
        try await clock.checkSuspension()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        while clock.sleeperCount < 1 { await Task.yield() }
        await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
        await clock.run(timeout: .seconds(600))
        try await clock.checkSuspension()
        try await task.value
    }

    @Test func runWakesAllSleepers() async throws {
        let clock = TestClock()
        let tasks = [60, 3600].map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        while clock.sleeperCount < 2 { await Task.yield() }
        await clock.run(timeout: .seconds(600))
        for task in tasks { try await task.value }
        #expect(clock.now.offset == .seconds(3600))
    }

    @Test func runReportsEndlessTimer() async {
        let clock = TestClock()
        let task = Task {
            for await _ in clock.timer(interval: .seconds(1)) {}
        }
        await withKnownIssue {
            await clock.run(timeout: .milliseconds(10))
        } matching: {
            $0.description.contains("Expected all sleeps to finish")
        }
        task.cancel()
        await task.value
    }

    @Test @MainActor func tasksOfTheMainActorAreWoken() async {
        let clock = TestClock()
        var seconds: [Int] = []
        let task = Task {
            for second in 1...3 {
                try await clock.sleep(for: .seconds(1))
                seconds.append(second)
            }
        }
        await clock.advance(by: .seconds(2))
        #expect(seconds == [1, 2])
        await clock.run(timeout: .seconds(600))
        #expect(seconds == [1, 2, 3])
        await #expect(throws: Never.self) { try await task.value }
    }

    @Test func sleepsOfManyTasks() async {
        let clock = TestClock()
        await withTaskGroup(of: Void.self) { group in
            for second in 1...200 {
                group.addTask { [log] in
                    try? await clock.sleep(for: .seconds(second % 10 + 1))
                    log.withValue { $0.append("") }
                }
            }
            group.addTask {
                while log.count < 200 { await clock.advance(by: .seconds(10)) }
            }
        }
        #expect(log.count == 200)
    }
}
