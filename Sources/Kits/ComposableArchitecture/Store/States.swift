extension Store {
    /// Yields after each batch of actions, even without a change of state. A slow reader gets one
    /// signal for several batches.
    ///
    /// The sequence doesn't retain the store. It ends when the store is deallocated.
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
    /// A slow reader misses intermediate states, but never the newest. The sequence doesn't retain
    /// the store, and ends when the store is deallocated.
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

/// Ends a stream when the store is deallocated. Only the store retains this object.
private final class StreamEnd<State> {
    private let continuation: AsyncStream<State>.Continuation

    init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    /// Yields a state. Returns false after the reader has stopped reading.
    func yield(_ state: State) -> Bool where State: Sendable {
        if case .terminated = continuation.yield(state) { false } else { true }
    }
}
