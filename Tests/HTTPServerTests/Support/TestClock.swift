import Domain
import Foundation
import SeededGenerator
import Synchronization

/// 1 March 2026, 12:00 UTC: the start time of the tests.
let noon = Date(milliseconds: 1_772_366_400_000)

final class TestClock: Sendable {
    private let time = Mutex(noon)
    private let monotonic = Mutex(ContinuousClock.now)

    func now() -> Date { time.withLock { $0 } }
    func instant() -> ContinuousClock.Instant { monotonic.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0.adding(duration) }
        monotonic.withLock { $0 += duration }
    }
}

final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }

    /// Returns a UUID that depends only on the number of calls.
    func uuid() -> UUID {
        let number = UInt16(truncatingIfNeeded: next())
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 1, UInt8(number >> 8),
                UInt8(number & 0xFF)
            ))
    }
}

/// Returns an id that differs from all ids of the server.
func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

/// Bytes for tokens and codes, the same in each run.
final class SeededBytes: Sendable {
    private let generator = Mutex(SeededGenerator(seed: 42))

    func next(_ count: Int) -> Data {
        generator.withLock { generator in
            Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        }
    }
}
