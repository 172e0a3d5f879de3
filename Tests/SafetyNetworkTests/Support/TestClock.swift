import Domain
import Foundation
import Synchronization

/// 1 March 2026, 12:00 UTC, the start of every test.
let noon = Date(milliseconds: 1_772_366_400_000)

/// A clock that advances only when a test says so.
final class TestClock: Sendable {
    private let time: Mutex<Date>

    init(_ start: Date = noon) { time = Mutex(start) }

    var now: Date { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0.adding(duration) } }

    func set(_ date: Date) { time.withLock { $0 = date } }
}
