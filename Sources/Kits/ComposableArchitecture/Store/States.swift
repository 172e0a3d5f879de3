extension Store {
    /// Yields after each batch of actions, whether or not the state has changed. A slow reader gets
    /// one signal for all the batches that it missed.
    ///
    /// The sequence ends when the store is deallocated, and doesn't retain the store.
    public var stateChanges: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd(continuation)
        node.onChange { _ in end.yield(()) }
        return stream
    }
}

extension Store where State: Sendable {
    /// Yields the current state, then the state after each batch of actions.
    ///
    /// A slow reader misses intermediate states, but never the newest. The sequence ends when the
    /// store is deallocated, and doesn't retain the store. Upstream has a Combine publisher
    /// instead, which exists only on Apple's systems.
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
    /// Yields the current state, then each changed state.
    public var states: AsyncStream<State> {
        states(removingDuplicates: ==)
    }
}

/// Ends a stream when it is deallocated. Only the store retains it, so the stream ends with the
/// store.
private final class StreamEnd<State> {
    private let continuation: AsyncStream<State>.Continuation

    init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    /// Yields a state. Returns false once the stream has no listener.
    func yield(_ state: State) -> Bool where State: Sendable {
        if case .terminated = continuation.yield(state) { false } else { true }
    }
}
