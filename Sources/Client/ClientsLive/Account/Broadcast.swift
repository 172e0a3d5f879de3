import Synchronization

/// One value for many readers: each gets the present one at once and then each change. A slow
/// reader misses what was overtaken, never the newest.
final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value?
        var readers: [Int: AsyncStream<Value>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state: Mutex<State>

    /// - Parameter value: nil as long as nothing is known; readers wait then.
    init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

    var value: Value? { state.withLock { $0.value } }

    /// Unchanged values are not sent.
    func send(_ value: Value) {
        state.withLock { state in
            guard !state.isFinished, state.value != value else { return }
            state.value = value
            for reader in state.readers.values { reader.yield(value) }
        }
    }

    func stream() -> AsyncStream<Value> {
        let (stream, reader) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next += 1
            if let value = state.value { reader.yield(value) }
            if state.isFinished { reader.finish() } else { state.readers[state.next] = reader }
            return state.next
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
