extension Effect {
    /// The same effect, begun when none with this id has come for a while.
    ///
    /// Each new one cancels the one before it and starts the wait anew. Upstream takes a Combine
    /// scheduler, which exists on Apple's systems only; for a feature that compiles with both,
    /// sleep on a clock in `.run` and use `.cancellable(id:cancelInFlight: true)`.
    ///
    /// - Parameters:
    ///   - id: What the effects have in common; `.cancel(id:)` takes it as well.
    ///   - dueTime: How long to wait.
    ///   - clock: The clock to wait by.
    public func debounce(
        id: some Hashable & Sendable,
        for dueTime: Duration,
        clock: any Clock<Duration>
    ) -> Self {
        guard !isNone else { return .none }
        return .concatenate(
            .run { _ in try await clock.sleep(for: dueTime) },
            self
        )
        .cancellable(id: id, cancelInFlight: true)
    }
}
