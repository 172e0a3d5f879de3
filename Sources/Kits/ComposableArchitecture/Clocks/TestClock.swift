import IssueReporting

/// A clock that advances only when the test says so.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(…) { … } withDependencies: { $0.continuousClock = clock }
/// await clock.advance(by: .seconds(1))
/// ```
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
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

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Instant
        var lastID = 0
        /// The sleepers by deadline; with equal deadlines, in order of arrival.
        var sleepers: [Sleeper] = []
        /// Sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        /// The executors of the test stores whose effects sleep on this clock. Each executor knows
        /// when its store's effects are suspended again.
        var settlings: [ObjectIdentifier: EffectSettling] = [:]
        /// True if tasks that aren't effects of a test store sleep on the clock.
        var hasOtherSleepers = false
    }

    private let state: Guarded<State>

    /// The number of current sleepers.
    var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

    /// Creates a clock at an instant.
    public init(now: Instant = Instant()) {
        self.state = Guarded(State(now: now))
    }

    public var now: Instant {
        self.state.withLock { $0.now }
    }

    public var minimumResolution: Duration { .zero }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let settling = EffectSettling.current
        let id = self.state.withLock {
            if let settling {
                $0.settlings[ObjectIdentifier(settling)] = settling
            } else {
                $0.hasOtherSleepers = true
            }
            $0.lastID += 1
            return $0.lastID
        }
        defer { self.state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.begin(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    private func begin(_ sleeper: Sleeper) {
        let result: Result<Void, any Error>? = self.state.withLock { state in
            if state.cancelled.contains(sleeper.id) { return .failure(CancellationError()) }
            guard sleeper.deadline >= state.now else { return .success(()) }
            let position = state.sleepers.firstIndex { $0.deadline > sleeper.deadline }
            state.sleepers.insert(sleeper, at: position ?? state.sleepers.endIndex)
            return nil
        }
        if let result { sleeper.continuation.resume(with: result) }
    }

    private func cancel(_ id: Int) {
        let sleeper: Sleeper? = self.state.withLock { state in
            guard let position = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: position)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Advances the clock by a duration. Wakes the sleepers whose deadlines it reaches, in order.
    nonisolated(nonsending) public func advance(by duration: Duration = .zero) async {
        await self.advance(to: self.now.advanced(by: duration))
    }

    /// Advances the clock to an instant. Wakes the sleepers whose deadlines it reaches, in order.
    nonisolated(nonsending) public func advance(to deadline: Instant) async {
        while true {
            await self.settle()
            guard let next = self.wakeNext(upTo: deadline) else { break }
            next.resume()
        }
        await self.settle()
    }

    /// Lets woken sleepers run until they are suspended again.
    nonisolated(nonsending) private func settle() async {
        let (settlings, hasOthers) = self.state.withLock {
            (Array($0.settlings.values), $0.hasOtherSleepers || $0.settlings.isEmpty)
        }
        for settling in settlings { await settling.settled() }
        if hasOthers { await Task.megaYield() }
    }

    /// Advances to the next sleeper's deadline, or to `deadline` if no sleeper is due by then.
    private func wakeNext(upTo deadline: Instant) -> CheckedContinuation<Void, any Error>? {
        self.state.withLock { state in
            guard let next = state.sleepers.first, next.deadline <= deadline else {
                state.now = max(state.now, deadline)
                return nil
            }
            state.now = max(state.now, next.deadline)
            state.sleepers.removeFirst()
            return next.continuation
        }
    }

    /// Advances the clock until all sleepers have been woken.
    ///
    /// - Parameter duration: The limit in real time. Reports an issue if a task still sleeps then.
    nonisolated(nonsending) public func run(
        timeout duration: Swift.Duration = .milliseconds(500),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let end = ContinuousClock.now.advanced(by: duration)
        await Task.megaYield()
        while let deadline = self.state.withLock({ $0.sleepers.first?.deadline }) {
            guard ContinuousClock.now < end else {
                reportIssue(
                    """
                    Expected all sleeps to finish, but some are still suspended after \(duration).

                    An endless timer never finishes: cancel it first. A long run can be given more \
                    time with 'timeout'.
                    """,
                    fileID: fileID, filePath: filePath, line: line, column: column
                )
                return
            }
            await self.advance(to: deadline)
        }
    }

    /// Checks that no task sleeps.
    ///
    /// - Throws: ``SuspensionError`` if a task sleeps.
    nonisolated(nonsending) public func checkSuspension() async throws {
        await Task.megaYield()
        guard self.state.withLock({ $0.sleepers.isEmpty }) else { throw SuspensionError() }
    }
}

extension TestClock where Duration == Swift.Duration {
    /// Creates a clock at its start.
    public convenience init() {
        self.init(now: Instant())
    }
}

/// Thrown by ``TestClock/checkSuspension()`` if a task sleeps on the clock.
public struct SuspensionError: Error {
    public init() {}
}
