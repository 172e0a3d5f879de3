extension Effect {
    /// The actions of this effect, and of others with the same id, at most one in an interval.
    ///
    /// The first action is sent at once. Of those that come less than an interval after it one is sent when the interval ends: the newest if `latest`,
    /// else the oldest. Upstream takes a Combine scheduler, which exists on Apple's systems only.
    ///
    /// - Parameters:
    ///   - id: What the effects have in common; `.cancel(id:)` takes it as well.
    ///   - interval: The least time between two actions.
    ///   - clock: The clock to measure by.
    ///   - latest: Whether the newest action is sent after a wait, or the oldest.
    public func throttle(
        id: some Hashable & Sendable,
        for interval: Duration,
        clock: any Clock<Duration>,
        latest: Bool
    ) -> Self {
        guard !isNone else { return .none }
        return throttle(CancelID(id), interval: interval, by: clock, latest: latest)
            .cancellable(id: id, cancelInFlight: true)
    }

    private func throttle<C: Clock<Duration>>(_ id: CancelID, interval: Duration, by clock: C, latest: Bool) -> Self {
        .run { send in
            let context = EffectContext.currentOrOutside
            let throttle = context.registry.throttle(id, in: context.scope) { Throttle<C.Instant, Action>() }
            await self.execute(
                in: context,
                send: Send { action in
                    if let deadline = throttle.offer(action, at: clock.now, interval: interval, latest: latest) {
                        guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
                        if let held = throttle.take(at: clock.now) { await send.forward(held) }
                    } else {
                        await send.forward(action)
                    }
                }
            )
        }
    }
}

/// What is remembered between the throttled effects of an id.
private final class Throttle<Instant: InstantProtocol<Duration>, Action>: Sendable {
    private struct Storage {
        var lastSent: Instant?
        /// Unsafe because it need not be Sendable: it is given up by the effect that brings it, and taken once.
        nonisolated(unsafe) var held: Action?
    }

    private let storage = Guarded(Storage())

    /// Nil when the action can be sent at once, else the time until which it is held.
    func offer(_ action: Action, at now: Instant, interval: Duration, latest: Bool) -> Instant? {
        // Unsafe for the same reason as `held`.
        nonisolated(unsafe) let action = action
        return storage.withLock { storage in
            if let deadline = storage.lastSent?.advanced(by: interval), now < deadline {
                if latest || storage.held == nil { storage.held = action }
                return deadline
            }
            storage.lastSent = now
            storage.held = nil
            return nil
        }
    }

    /// The action that was held, to be sent now.
    func take(at now: Instant) -> Action? {
        let box = storage.withLock { storage in
            storage.lastSent = now
            // Unsafe for the same reason: taken out here and nowhere else.
            nonisolated(unsafe) let held = storage.held
            storage.held = nil
            return UncheckedBox(value: held)
        }
        return box.value
    }
}
