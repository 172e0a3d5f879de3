import Synchronization

/// Queued work. The job drops the work when the work starts or is cancelled. That frees the memory
/// that the work holds.
final class BlockingJob<Value: Sendable>: Sendable {
    typealias Work = @Sendable () throws -> Value
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        case made(Work)
        case waiting(Work, Continuation)
        case over
    }

    private let state: Mutex<State>

    init(_ work: @escaping Work) { state = Mutex(.made(work)) }

    /// Queues the work. Returns false if the job was already cancelled.
    func wait(_ continuation: Continuation) -> Bool {
        state.withLock { state in
            guard case .made(let work) = state else { return false }
            state = .waiting(work, continuation)
            return true
        }
    }

    /// Returns the work for the caller to run; nil if the job was cancelled.
    func take() -> (work: Work, continuation: Continuation)? {
        state.withLock { state in
            guard case .waiting(let work, let continuation) = state else { return nil }
            state = .over
            return (work, continuation)
        }
    }

    func cancel() {
        let continuation = state.withLock { state -> Continuation? in
            defer { state = .over }
            guard case .waiting(_, let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
