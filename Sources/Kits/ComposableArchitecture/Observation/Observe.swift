import Observation
import Synchronization

/// Calls a closure now, and after each change of the observable state that the closure read.
///
/// ```swift
/// let token = observe { [store] in render(store.count) }
/// ```
///
/// Changes in one synchronous step cause only one call. The observation ends when the token is
/// cancelled or deallocated.
///
/// - Parameters:
///   - isolation: The caller's isolation. The closure runs in it.
///   - apply: Reads observable state and uses it.
public func observe(
    isolation: isolated (any Actor)? = #isolation,
    _ apply: @escaping () -> Void
) -> ObserveToken {
    let token = ObserveToken()
    Observer(apply: apply, isolation: isolation, token: token).run()
    return token
}

/// Keeps an observation active until the token is deallocated.
public final class ObserveToken: Sendable {
    private let cancelled = Atomic(false)

    init() {}

    deinit {}

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

/// Unchecked because the closure need not be Sendable. Only `onChange` runs outside the isolation
/// that created the observer, and `onChange` only starts a task.
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
