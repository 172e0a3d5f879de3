import Synchronization

/// One value for many readers. Each reader gets the current value and then each change. A slow
/// reader skips outdated values.
final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private struct Reader {
        let continuation: AsyncStream<Value>.Continuation
        var newest: Int
    }

    private struct State {
        var value: Value?
        var number = 0
        var readers: [Int: Reader] = [:]
        var next = 0
        var isSending = false
        var isFinished = false
    }

    private let state: Mutex<State>

    /// - Parameter value: nil until a value is known. Readers then wait for the first value.
    init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

    var value: Value? { state.withLock { $0.value } }

    /// Sends a changed value to all readers.
    func send(_ value: Value) {
        let sends = state.withLock { state in
            guard !state.isFinished, state.value != value else { return false }
            state.value = value
            state.number += 1
            defer { state.isSending = true }
            // The call that is already sending will send this value, too. Two senders at once could
            // mix up the order.
            return !state.isSending
        }
        guard sends else { return }
        // Resumes readers outside the lock to avoid a deadlock. A task that is being cancelled
        // holds its own lock and waits for this lock in `onTermination`.
        while let (value, readers) = nextRound() { for reader in readers { reader.yield(value) } }
    }

    /// Returns the newest value and the readers that lack it; nil when all readers have it.
    private func nextRound() -> (Value, [AsyncStream<Value>.Continuation])? {
        state.withLock { state in
            let late = state.readers.filter { $0.value.newest < state.number }
            guard let value = state.value, !late.isEmpty else {
                state.isSending = false
                return nil
            }
            for id in late.keys { state.readers[id]?.newest = state.number }
            return (value, late.values.map(\.continuation))
        }
    }

    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next += 1
            // The stream has no reader yet, so `yield` resumes no task inside the lock.
            if let value = state.value { continuation.yield(value) }
            if state.isFinished {
                continuation.finish()
            } else {
                state.readers[state.next] = Reader(
                    continuation: continuation, newest: state.number)
            }
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
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
        for reader in readers { reader.continuation.finish() }
    }
}
