extension Clock where Duration: Hashable {
    /// Returns a sequence that ticks at an interval until its task is cancelled:
    /// `for await _ in clock.timer(interval: .seconds(1))`.
    ///
    /// Skips ticks that fall due while the loop handles the previous tick.
    public func timer(
        interval: Duration,
        tolerance: Duration? = nil
    ) -> AsyncTimerSequence<AnyClock<Duration>> {
        AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: AnyClock(self))
    }
}

/// The current time at each tick of a timer. The sequence ends when its task is cancelled.
public struct AsyncTimerSequence<C: Clock>: AsyncSequence, Sendable {
    public typealias Element = C.Instant

    private let interval: C.Duration
    private let tolerance: C.Duration?
    private let clock: C

    /// Creates a sequence whose first tick is one interval after the iteration begins.
    public init(interval: C.Duration, tolerance: C.Duration? = nil, clock: C) {
        self.interval = interval
        self.tolerance = tolerance
        self.clock = clock
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(interval: self.interval, tolerance: self.tolerance, clock: self.clock)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let interval: C.Duration
        fileprivate let tolerance: C.Duration?
        fileprivate let clock: C
        private var last: C.Instant?

        fileprivate init(interval: C.Duration, tolerance: C.Duration?, clock: C) {
            self.interval = interval
            self.tolerance = tolerance
            self.clock = clock
        }

        public mutating func next() async -> C.Instant? {
            await self.next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> C.Instant? {
            let now = self.clock.now
            var deadline = (self.last ?? now).advanced(by: self.interval)
            while self.interval > .zero, deadline < now {
                deadline = deadline.advanced(by: self.interval)
            }
            do {
                try await self.clock.sleep(until: deadline, tolerance: self.tolerance)
            } catch {
                return nil
            }
            self.last = deadline
            return self.clock.now
        }
    }
}
