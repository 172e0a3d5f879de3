import Observation
import Synchronization

/// Calls a closure now, and again whenever observable state that it read has changed.
///
/// ```swift
/// let token = observe { [store] in render(store.count) }
/// ```
///
/// The closure is called in the caller's isolation, once for any number of changes made in one
/// synchronous step. The observation ends when the token is cancelled or deallocated.
///
/// - Parameters:
///   - isolation: The isolation in which the closure is called: the caller's.
///   - apply: Reads observable state and acts on it.
public func observe(
    isolation: isolated (any Actor)? = #isolation,
    _ apply: @escaping () -> Void
) -> ObserveToken {
    let token = ObserveToken()
    Observer(apply: apply, isolation: isolation, token: token).run()
    return token
}

/// Keeps an observation active.
public final class ObserveToken: Sendable {
    private let cancelled = Atomic(false)

    init() {}

    deinit {}

    /// Ends the observation.
    public func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }

    var isCancelled: Bool {
        cancelled.load(ordering: .relaxed)
    }
}

extension ObserveToken: Hashable {
    public static func == (lhs: ObserveToken, rhs: ObserveToken) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Unchecked because the closure need not be Sendable: it is called only in the isolation that
/// created it. Everything else in this class also runs in that isolation, except the code that
/// schedules the call.
private final class Observer: @unchecked Sendable {
    private let apply: () -> Void
    private weak let isolation: (any Actor)?
    private weak let token: ObserveToken?

    init(apply: @escaping () -> Void, isolation: (any Actor)?, token: ObserveToken) {
        self.apply = apply
        self.isolation = isolation
        self.token = token
    }

    func run() {
        withObservationTracking {
            ThreadMarks.with(0, apply)
        } onChange: { [self] in
            Task { await again() }
        }
    }

    private func again() async {
        guard let isolation else { return }
        await again(in: isolation)
    }

    private func again(in isolation: isolated any Actor) {
        guard let token, !token.isCancelled else { return }
        run()
    }
}
