/// A type-erased clock. Its instants count from its creation.
public final class AnyClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
    public struct Instant: InstantProtocol {
        let offset: Duration

        public func advanced(by duration: Duration) -> Self {
            Self(offset: self.offset + duration)
        }

        public func duration(to other: Self) -> Duration {
            other.offset - self.offset
        }

        public static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private let _now: @Sendable () -> Instant
    private let _minimumResolution: @Sendable () -> Duration
    private let _sleep: @Sendable (Instant, Duration?) async throws -> Void

    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        self._now = { Instant(offset: start.duration(to: clock.now)) }
        self._minimumResolution = { clock.minimumResolution }
        self._sleep = { try await clock.sleep(until: start.advanced(by: $0.offset), tolerance: $1) }
    }

    public var now: Instant { self._now() }

    public var minimumResolution: Duration { self._minimumResolution() }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await self._sleep(deadline, tolerance)
    }
}
