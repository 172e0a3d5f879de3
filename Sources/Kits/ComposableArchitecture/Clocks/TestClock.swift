import IssueReporting

/// A clock for tests. Its time changes only when the test calls ``advance(by:)``.
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
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

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Instant
        var lastID = 0
        /// Ordered by deadline. Sleepers with equal deadlines keep their order of arrival.
        var sleepers: [Sleeper] = []
        /// The ids of sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        /// The executors of the test stores whose effects sleep on this clock. Each executor knows
        /// whether the effects of its store are suspended.
        var settlings: [ObjectIdentifier: EffectSettling] = [:]
        /// True after a task outside a test store slept on the clock.
        var hasOtherSleepers = false
    }

    private let state: Guarded<State>

    var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

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

    /// Advances the clock by a duration. Wakes the sleepers with deadlines up to then, in order.
    nonisolated(nonsending) public func advance(by duration: Duration = .zero) async {
        await self.advance(to: self.now.advanced(by: duration))
    }

    /// Advances the clock to an instant. Wakes the sleepers with deadlines up to then, in order.
    nonisolated(nonsending) public func advance(to deadline: Instant) async {
        while true {
            await self.settle()
            guard let next = self.wakeNext(upTo: deadline) else { break }
            next.resume()
        }
        await self.settle()
    }

    /// Waits until the woken tasks are suspended or finished.
    nonisolated(nonsending) private func settle() async {
        let (settlings, hasOthers) = self.state.withLock {
            (Array($0.settlings.values), $0.hasOtherSleepers || $0.settlings.isEmpty)
        }
        for settling in settlings { await settling.settled() }
        if hasOthers { await Task.megaYield() }
    }

    /// Advances to the next sleeper's deadline, or to `deadline` if that comes first.
    ///
    /// - Returns: The sleeper to resume, if one is due.
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

    /// Advances the clock until it has woken all sleepers.
    ///
    /// - Parameter duration: The limit in real time. Reports an issue if a task still sleeps at the
    ///   limit.
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
    public convenience init() {
        self.init(now: Instant())
    }
}

/// The error of ``TestClock/checkSuspension()`` while a task sleeps on the clock.
public struct SuspensionError: Error {
    public init() {}
}
