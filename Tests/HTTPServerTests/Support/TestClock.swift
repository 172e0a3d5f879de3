import Domain
import Foundation
import SeededGenerator
import Synchronization

/// 1 March 2026, 12:00 UTC: the moment at which the stories of this suite begin.
let noon = Date(milliseconds: 1_772_366_400_000)

/// Time that passes when the test says so.
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

/// Hands out numbers, one after the other.
final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }

    /// A UUID that is always the same at the same place of a story.
    func uuid() -> UUID {
        let number = UInt16(truncatingIfNeeded: next())
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 1, UInt8(number >> 8),
                UInt8(number & 0xFF)
            ))
    }
}

/// Ids that a client makes, and that the server's never equal.
func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

/// Tokens and codes that are the same each time.
final class SeededBytes: Sendable {
    private let generator = Mutex(SeededGenerator(seed: 42))

    func next(_ count: Int) -> Data {
        generator.withLock { generator in
            Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        }
    }
}
