extension Store {
    /// Yields after each run of actions, whether the state has changed or not: one signal for all
    /// that a slow reader has missed.
    ///
    /// The sequence ends when the store goes away; it does not keep the store.
    public var stateChanges: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd(continuation)
        node.onChange { _ in end.yield(()) }
        return stream
    }
}

extension Store where State: Sendable {
    /// The state as it is now, and then as it is after each run of actions.
    ///
    /// A slow reader misses states in between, never the newest. The sequence ends when the store
    /// goes away; it does not keep the store. Upstream has a Combine publisher instead, which
    /// exists on Apple's systems only.
    public var states: AsyncStream<State> {
        states { _, _ in false }
    }

    private func states(removingDuplicates isDuplicate: @escaping (State, State) -> Bool)
        -> AsyncStream<State>
    {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd(continuation)
        var last = node.state
        continuation.yield(last)
        node.onChange { state in
            guard !isDuplicate(last, state) else { return true }
            last = state
            return end.yield(state)
        }
        return stream
    }
}

extension Store where State: Sendable & Equatable {
    /// The state as it is now, and then whenever it has changed.
    public var states: AsyncStream<State> {
        states(removingDuplicates: ==)
    }
}

/// Ends a stream when the store, which keeps it, goes away.
private final class StreamEnd<State> {
    private let continuation: AsyncStream<State>.Continuation

    init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    /// True if somebody still listens.
    func yield(_ state: State) -> Bool where State: Sendable {
        if case .terminated = continuation.yield(state) { false } else { true }
    }
}
