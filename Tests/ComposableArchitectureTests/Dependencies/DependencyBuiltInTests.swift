import Foundation
import Testing

@testable import ComposableArchitecture

@Suite struct DependencyBuiltInTests {
    @Test func dates() {
        let start = Date(timeIntervalSince1970: 0)
        withDependencies {
            $0.date = .constant(start)
        } operation: {
            @Dependency(\.date.now) var now
            @Dependency(\.date) var date
            #expect(now == start)
            #expect(date() == start)
            withDependencies {
                $0.date.now += 60
            } operation: {
                #expect(now == start + 60)
            }
        }
    }

    @Test func uuids() {
        withDependencies {
            $0.uuid = .incrementing
        } operation: {
            @Dependency(\.uuid) var uuid
            #expect(uuid() == UUID(0))
            #expect(uuid().uuidString == "00000000-0000-0000-0000-000000000001")
            withDependencies {
                $0.uuid = .constant(UUID(255))
            } operation: {
                #expect(uuid().uuidString == "00000000-0000-0000-0000-0000000000FF")
            }
            #expect(uuid() == UUID(2))
        }
        #expect(UUIDGenerator.incrementing() == UUID(0), "each generator counts for itself")
        #expect(UUID(1 << 40).uuidString == "00000000-0000-0000-0000-010000000000")
        #expect(UUID(-1).uuidString == "00000000-0000-0000-0000-FFFFFFFFFFFF")
    }

    @Test func clocks() async throws {
        let clock = TestClock()
        try await withDependencies {
            $0.continuousClock = clock
            $0.suspendingClock = .immediate
        } operation: {
            @Dependency(\.continuousClock) var continuousClock
            @Dependency(\.suspendingClock) var suspendingClock
            try await suspendingClock.sleep(for: .seconds(60))
            let task = Task { try await continuousClock.sleep(for: .seconds(60)) }
            // A sleep that begins after the advance would never end.
            while clock.sleeperCount < 1 { await Task.yield() }
            await clock.advance(by: .seconds(60))
            try await task.value
        }
    }

    @Test func randomNumbers() {
        struct Sequential: RandomNumberGenerator, Sendable {
            var last: UInt64 = 0
            mutating func next() -> UInt64 {
                last += 1 << 61
                return last
            }
        }
        withDependencies {
            $0.withRandomNumberGenerator = WithRandomNumberGenerator(Sequential())
        } operation: {
            @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
            let numbers = (1...3).map { _ in
                withRandomNumberGenerator { Int.random(in: 0..<8, using: &$0) }
            }
            #expect(numbers == [1, 2, 3])
        }
    }

    @Test func placeAndTime() throws {
        try withDependencies {
            $0.calendar = Calendar(identifier: .gregorian)
            $0.locale = Locale(identifier: "de_DE")
            $0.timeZone = try #require(TimeZone(secondsFromGMT: 3600))
        } operation: {
            @Dependency(\.calendar) var calendar
            @Dependency(\.locale) var locale
            @Dependency(\.timeZone) var timeZone
            #expect(calendar.identifier == .gregorian)
            #expect(locale.identifier == "de_DE")
            #expect(timeZone.secondsFromGMT() == 3600)
        }
    }

    @Test func liveValues() async throws {
        let live = DependencyValues.live
        let before = Date()
        #expect(live.date() >= before)
        #expect(live.uuid() != live.uuid())
        #expect(live.continuousClock is ContinuousClock)
        #expect(live.suspendingClock is SuspendingClock)
        #expect(
            (0..<8).contains(live.withRandomNumberGenerator { Int.random(in: 0..<8, using: &$0) }))
        _ = (live.calendar, live.locale, live.timeZone)
    }
}
