import ComposableArchitecture
import Testing

@Suite struct ClockTests {
    @Test func immediateClockJumps() async throws {
        let clock = ImmediateClock()
        try await clock.sleep(for: .seconds(3600))
        #expect(clock.now.offset == .seconds(3600))
        try await clock.sleep(until: .init(offset: .seconds(1)))
        #expect(clock.now.offset == .seconds(3600), "time does not go back")
        let anyClock: any Clock<Duration> = .immediate
        try await anyClock.sleep(for: .seconds(1))
    }

    @Test func immediateClockIsCancelled() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await ImmediateClock().sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func unimplementedClockReportsItsName() async throws {
        let clock = UnimplementedClock(ImmediateClock(), name: "MyClock")
        try await withKnownIssue {
            try await clock.sleep(for: .seconds(1))
        } matching: {
            $0.description.contains("Unimplemented: MyClock.now")
                || $0.description.contains("Unimplemented: MyClock.sleep")
        }
        withKnownIssue { _ = clock.now }
        withKnownIssue { _ = clock.minimumResolution }
        withKnownIssue { _ = UnimplementedClock().now }
        withKnownIssue { _ = (.unimplemented() as UnimplementedClock<Duration>).now }
    }

    @Test func anyClockFollowsItsClock() async throws {
        let base = TestClock<Duration>(now: .init(offset: .seconds(5)))
        let clock = AnyClock(base)
        let start = clock.now
        let task = Task {
            try await clock.sleep(until: start.advanced(by: .seconds(2)))
            return start.duration(to: clock.now)
        }
        await base.advance(by: .seconds(2))
        #expect(try await task.value == .seconds(2))
        #expect(clock.minimumResolution == base.minimumResolution)
    }

    @Test func timerTicksAndEndsWithItsTask() async {
        let clock = TestClock()
        let ticks = LockIsolated(0)
        let anyClock: any Clock<Duration> = clock
        let task = Task {
            for await _ in anyClock.timer(interval: .seconds(1)) {
                ticks.withValue { $0 += 1 }
            }
            return "ended"
        }
        await clock.advance(by: .milliseconds(999))
        #expect(ticks.value == 0)
        await clock.advance(by: .milliseconds(1))
        #expect(ticks.value == 1)
        await clock.advance(by: .seconds(5))
        #expect(ticks.value == 6)
        task.cancel()
        #expect(await task.value == "ended")
        await clock.advance(by: .seconds(5))
        #expect(ticks.value == 6)
    }

    @Test func timerSkipsMissedTicks() async {
        let clock = TestClock()
        let ticks = LockIsolated<[Duration]>([])
        let task = Task {
            for await _ in clock.timer(interval: .seconds(1)) {
                ticks.withValue { $0.append(clock.now.offset) }
                try? await clock.sleep(for: .milliseconds(2500))
            }
        }
        await clock.advance(by: .seconds(8))
        task.cancel()
        await task.value
        #expect(ticks.value == [.seconds(1), .seconds(4), .seconds(7)])
    }
}
