import Foundation
import Synchronization

/// Passes a response from libcurl's thread to one reader: the head, and a bounded part of the body.
final class Exchange: Sendable {
    /// Limits of the buffer in bytes. The transfer pauses at `highWater` and resumes at `lowWater`.
    static let (highWater, lowWater) = (256 * 1024, 64 * 1024)

    private struct State {
        var head: ResponseHead?
        var chunks: [Data] = []
        var size = 0
        var outcome: Result<Void, any Error>?
        var isPaused = false
        var headWaiter: CheckedContinuation<ResponseHead, any Error>?
        var chunkWaiter: CheckedContinuation<Data?, any Error>?
        /// Tells the engine to resume or to stop the transfer.
        var signal: (@Sendable (Signal) -> Void)?
    }

    enum Signal: Sendable { case goOn, stop }

    /// True if the request's timeout also covers the body.
    let limitsWholeTransfer: Bool
    private let state = Mutex(State())

    init(limitsWholeTransfer: Bool) { self.limitsWholeTransfer = limitsWholeTransfer }

    func run<Value: Sendable>(
        _ request: OutgoingRequest, on engine: TransferEngine.Owner,
        _ body: () async throws -> Value
    ) async throws -> Value {
        defer { cancel() }
        return try await withTaskCancellationHandler {
            engine.start(request, self)
            return try await body()
        } onCancel: {
            cancel()
        }
    }

    /// The number of unread bytes. `isPaused` is true while the transfer waits for the reader.
    var waiting: Int { state.withLock { $0.size } }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    var isOver: Bool { state.withLock { $0.outcome != nil } }

    // MARK: The reader's side

    func head() async throws -> ResponseHead {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<ResponseHead, any Error>? in
                if let head = state.head { return .success(head) }
                switch state.outcome {
                case .failure(let error): return .failure(error)
                case .success: return .failure(HTTPClientError.interrupted)
                case nil:
                    state.headWaiter = continuation
                    return nil
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }

    /// Returns the next chunk of the body; nil at the end.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let (known, signal) = state.withLock {
                state -> (Result<Data?, any Error>?, (@Sendable (Signal) -> Void)?) in
                if !state.chunks.isEmpty {
                    let chunk = state.chunks.removeFirst()
                    state.size -= chunk.count
                    guard state.isPaused, state.size <= Self.lowWater else {
                        return (.success(chunk), nil)
                    }
                    state.isPaused = false
                    return (.success(chunk), state.signal)
                }
                if let outcome = state.outcome { return (outcome.map { nil }, nil) }
                state.chunkWaiter = continuation
                return (nil, nil)
            }
            signal?(.goOn)
            if let known { continuation.resume(with: known) }
        }
    }

    /// Ends the transfer, even if it has already succeeded.
    func cancel(_ reason: any Error = CancellationError()) {
        let signal = state.withLock { $0.signal.take() }
        finish(.failure(reason), dropping: true)
        signal?(.stop)
    }

    // MARK: The engine's side

    /// Starts the exchange. Returns false if it was already cancelled.
    func begin(_ signal: @escaping @Sendable (Signal) -> Void) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.signal = signal
            return true
        }
    }

    func receive(_ head: ResponseHead) {
        state.withLock { state in
            state.head = head
            return state.headWaiter.take()
        }?.resume(returning: head)
    }

    enum Reception { case taken, full, over }

    /// Stores received bytes. On `full` it stores none, and libcurl delivers the bytes again later.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let (reception, waiter) = state.withLock {
            state -> (Reception, CheckedContinuation<Data?, any Error>?) in
            guard state.outcome == nil else { return (.over, nil) }
            guard state.size < Self.highWater else {
                state.isPaused = true
                return (.full, nil)
            }
            if let waiter = state.chunkWaiter.take() { return (.taken, waiter) }
            state.chunks.append(Data(bytes))
            state.size += bytes.count
            return (.taken, nil)
        }
        waiter?.resume(returning: Data(bytes))
        return reception
    }

    func finish(_ outcome: Result<Void, any Error>, dropping: Bool = false) {
        let (head, chunk) = state.withLock {
            state -> (
                CheckedContinuation<ResponseHead, any Error>?,
                CheckedContinuation<Data?, any Error>?
            ) in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            state.signal = nil
            if dropping { (state.chunks, state.size) = ([], 0) }
            return (state.headWaiter.take(), state.chunkWaiter.take())
        }
        head?.resume(with: outcome.flatMap { .failure(HTTPClientError.interrupted) })
        chunk?.resume(with: outcome.map { nil })
    }

    /// The only owner of a stream's body. Its deallocation cancels the transfer.
    final class Reader: Sendable {
        private let exchange: Exchange

        init(_ exchange: Exchange) { self.exchange = exchange }
        deinit { exchange.cancel() }

        func next() async throws -> Data? {
            try await withTaskCancellationHandler(
                operation: { try await exchange.next() }, onCancel: { exchange.cancel() })
        }
    }
}
