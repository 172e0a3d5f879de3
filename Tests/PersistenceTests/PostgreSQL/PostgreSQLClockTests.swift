import Domain
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite struct PostgreSQLClockTests {
    private final class Monotonic: Sendable {
        private let value = Mutex(Duration.hours(3))
        var now: Duration { value.withLock { $0 } }
        func pass(_ duration: Duration) { value.withLock { $0 += duration } }
    }

    private let monotonic = Monotonic()
    private let start: Duration = .seconds(noon.timeIntervalSince1970)

    /// Returns a clock that a response set to noon. The response took 10 ms.
    private func clock() -> PostgreSQLClock {
        let clock = PostgreSQLClock(monotonic: { [monotonic] in monotonic.now })
        let now = monotonic.now
        clock.note(
            start, askedAt: now - .milliseconds(5), answeredAt: now + .milliseconds(5))
        return clock
    }

    @Test func clockAdvancesBetweenReadings() {
        let clock = clock()
        #expect(clock.now() == noon)
        monotonic.pass(.minutes(1))
        #expect(clock.now() == noon.adding(.minutes(1)))
    }

    @Test func slowResponseChangesNothing() {
        let clock = clock()
        monotonic.pass(.seconds(4))
        let now = monotonic.now
        // The reading is imprecise: the database read its clock at some moment during the 3 s.
        for time in [start + .seconds(1), start + .seconds(4)] {
            clock.note(time, askedAt: now - .seconds(3), answeredAt: now)
            #expect(clock.now() == noon.adding(.seconds(4)))
        }
    }

    @Test func impossibleTimeMovesToNearestPossibleOne() {
        let clock = clock()
        let now = monotonic.now
        clock.note(
            start + .seconds(10), askedAt: now - .milliseconds(30), answeredAt: now)
        #expect(clock.now() == noon.adding(.seconds(10)))
        clock.note(
            start - .seconds(10), askedAt: now - .milliseconds(30), answeredAt: now)
        #expect(clock.now() == noon.adding(.milliseconds(-9_970)))
    }

    @Test func clockIsUncheckedAfterTenSeconds() {
        #expect(!PostgreSQLClock(monotonic: { .zero }).isChecked)
        let clock = clock()
        monotonic.pass(.seconds(10) + .milliseconds(5))
        #expect(clock.isChecked)
        monotonic.pass(.milliseconds(1))
        #expect(!clock.isChecked)
    }
}
