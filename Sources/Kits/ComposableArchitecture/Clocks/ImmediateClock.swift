/// A clock that never waits: its time jumps to each deadline.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
    /// An instant, relative to the clock's start.
    public struct Instant: InstantProtocol {
        /// The time since the clock's start.
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

    /// Creates a clock at an instant.
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
    /// Creates a clock at its start.
    public convenience init() {
        self.init(now: Instant())
    }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
    /// A clock that never waits.
    public static var immediate: Self { ImmediateClock() }
}
