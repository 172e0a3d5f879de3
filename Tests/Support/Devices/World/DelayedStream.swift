import Foundation
import Synchronization

/// The body of a stream in transit. Pieces stay in order; the connection decides their delays.
final class DelayedStream: Sendable {
    private struct State {
        var chunks: [Data] = []
        var end: Result<Void, any Error>?
        var isSilent = false
        var waiter: CheckedContinuation<Data?, any Error>?
        var onEnd: (@Sendable () -> Void)?
        var pump: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - isLost: returns true if a piece never arrives. Later pieces may arrive.
    ///   - delay: returns the delay of the next piece; nil if nothing more arrives.
    init(
        _ body: AsyncThrowingStream<Data, any Error>,
        isLost: @escaping @Sendable (Data) -> Bool, delay: @escaping @Sendable () -> Duration?
    ) {
        let pump = Task { [weak self] in
            var arrival = Duration.zero
            do {
                for try await chunk in body where !isLost(chunk) {
                    guard let delay = delay() else {
                        self?.silence()
                        continue
                    }
                    // TCP keeps the order, so no piece overtakes a late one.
                    arrival = max(arrival, Scheduler.shared.now + delay)
                    Scheduler.shared.at(arrival) { [weak self] in self?.arrive(chunk) }
                }
                self?.cut(nil)
            } catch {
                self?.cut(error)
            }
        }
        state.withLock { $0.pump = pump }
    }

    deinit { close() }

    func onEnd(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = work } }

    /// Makes the stream deliver nothing more, without an error.
    func silence() { state.withLock { $0.isSilent = true } }

    private func arrive(_ chunk: Data) {
        let waiter = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard !state.isSilent, state.end == nil else { return nil }
            guard let waiter = state.waiter.take() else {
                state.chunks.append(chunk)
                return nil
            }
            return waiter
        }
        waiter?.resume(returning: chunk)
    }

    func cut(_ error: (any Error)?) {
        let waiter = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard state.end == nil, error != nil || !state.isSilent else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            return state.waiter.take()
        }
        if let waiter {
            if let error { waiter.resume(throwing: error) } else { waiter.resume(returning: nil) }
        }
        close()
    }

    private func close() {
        let (pump, onEnd) = state.withLock { ($0.pump.take(), $0.onEnd.take()) }
        pump?.cancel()
        onEnd?()
    }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Data?, any Error>? in
                    if !state.chunks.isEmpty { return .success(state.chunks.removeFirst()) }
                    if let end = state.end { return end.map { nil } }
                    state.waiter = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cut(CancellationError())
        }
    }
}
