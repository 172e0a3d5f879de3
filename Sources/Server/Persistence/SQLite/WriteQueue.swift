import Domain
import Synchronization

/// A write that waits for a commit. It is answered once its group was committed or has failed.
// `@unchecked Sendable`: the caller hands the write to the single writer and never uses it again.
class PendingWrite: @unchecked Sendable {
    let waitingSince = ContinuousClock.now
    func run(in transaction: Transaction) {}
    var thrown: (any Error)? { nil }
    func answer() {}
    func fail(_ error: any Error) {}
}

// `@unchecked Sendable` for the same reason as `PendingWrite`.
final class TypedWrite<Value: Sendable>: PendingWrite, @unchecked Sendable {
    private let body: @Sendable (Transaction) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var result: Result<Value, any Error>?

    init(
        _ body: @escaping @Sendable (Transaction) throws -> Value,
        _ continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    override func run(in transaction: Transaction) {
        result = Result {
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }

    override var thrown: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
    override func answer() { continuation.resume(with: result ?? .failure(DatabaseError.closed)) }
    override func fail(_ error: any Error) { continuation.resume(throwing: error) }
}

final class WriteQueue: Sendable {
    private struct State {
        var waiting: [PendingWrite] = []
        var running: [ContinuousClock.Instant] = []
        var isScheduled = false
        var isClosed = false
        var lastFailure: DatabaseError?
    }
    private let state = Mutex(State())

    enum Entry { case schedule, wait, closed }

    func enter(_ write: PendingWrite) -> Entry {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return state.isScheduled ? .wait : .schedule
        }
    }

    /// Returns the next group, oldest first. After an empty group, the next `enter` returns
    /// `schedule`.
    func next(upTo limit: Int) -> [PendingWrite] {
        state.withLock { state in
            let group = Array(state.waiting.prefix(limit))
            state.waiting.removeFirst(group.count)
            state.running = group.first.map { [$0.waitingSince] } ?? []
            if group.isEmpty { state.isScheduled = false }
            return group
        }
    }

    func record(_ failure: DatabaseError?) { state.withLock { $0.lastFailure = failure } }

    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// True while writes wait or run, and until the writer has found the queue empty.
    var isBusy: Bool { state.withLock { $0.isScheduled } }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    var health: DatabaseHealth {
        state.withLock { state in
            let oldest = state.running.first ?? state.waiting.first?.waitingSince
            return DatabaseHealth(
                oldestWaiting: oldest.map { ContinuousClock.now - $0 } ?? .zero,
                lastFailure: state.lastFailure
            )
        }
    }
}
