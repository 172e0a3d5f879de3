import Synchronization

/// Work on a picture that waits for its turn. Whoever takes it first, its turn or its cancellation,
/// decides; the picture's memory is let go of with it.
final class PictureJob<Value: Sendable>: Sendable {
    typealias Work = @Sendable () throws -> Value
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        case made(Work)
        case waiting(Work, Continuation)
        case over
    }

    private let state: Mutex<State>

    init(_ work: @escaping Work) { state = Mutex(.made(work)) }

    /// False when it was cancelled before.
    func wait(_ continuation: Continuation) -> Bool {
        state.withLock { state in
            guard case .made(let work) = state else { return false }
            state = .waiting(work, continuation)
            return true
        }
    }

    /// The work, for the one who does it; nil when it was cancelled.
    func take() -> (work: Work, continuation: Continuation)? {
        state.withLock { state in
            guard case .waiting(let work, let continuation) = state else { return nil }
            state = .over
            return (work, continuation)
        }
    }

    /// Does nothing to work that has begun.
    func cancel() {
        let continuation = state.withLock { state -> Continuation? in
            defer { state = .over }
            guard case .waiting(_, let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
