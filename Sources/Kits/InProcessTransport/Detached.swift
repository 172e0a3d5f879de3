import Synchronization

/// Runs work to its end, even if the caller is cancelled. A server, too, finishes a command after
/// the client's connection is lost.
final class Detached<Value: Sendable>: Sendable {
    private struct State {
        var waiter: CheckedContinuation<Value, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// - Parameter orElse: Handles the value if the caller was cancelled meanwhile.
    static func run(
        _ work: @escaping @Sendable () async throws -> Value,
        orElse: @escaping @Sendable (Value) async -> Void = { _ in }
    ) async throws -> Value {
        try Task.checkCancellation()
        let detached = Detached()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = detached.state.withLock { state in
                    if !state.isCancelled { state.waiter = continuation }
                    return state.isCancelled
                }
                guard !isCancelled else {
                    return continuation.resume(throwing: CancellationError())
                }
                Task {
                    let result: Result<Value, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    if let waiter = detached.state.withLock({ $0.waiter.take() }) {
                        waiter.resume(with: result)
                    } else if case .success(let value) = result {
                        await orElse(value)
                    }
                }
            }
        } onCancel: {
            detached.state.withLock { state in
                state.isCancelled = true
                return state.waiter.take()
            }?.resume(throwing: CancellationError())
        }
    }
}
