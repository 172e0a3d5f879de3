/// A clock for tests that never waits: each sleep moves its time to the deadline.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
    public struct Instant: InstantProtocol {
        public let offset: Duration

        public init(offset: Duration = .zero) {
            self.offset = offset
        }

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

    private let current: Guarded<Instant>

    public init(now: Instant = Instant()) {
        self.current = Guarded(now)
    }

    public var now: Instant {
        self.current.withLock { $0 }
    }

    public var minimumResolution: Duration { .zero }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        self.current.withLock { $0 = max($0, deadline) }
        await Task.megaYield()
    }
}

extension ImmediateClock where Duration == Swift.Duration {
    public convenience init() {
        self.init(now: Instant())
    }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
    public static var immediate: Self { ImmediateClock() }
}
