import Synchronization

/// The statements that the database refuses for a lasting reason, such as a missing table or
/// permission. A statement leaves the list when it works again.
final class Refusals: Sendable {
    private struct State {
        var reasons: [String: String] = [:]
        var count = 0
    }

    /// The maximum number of statements to remember.
    private static let limit = 100

    private let state = Mutex(State())
    // This is atomic, because it is read after each statement and must not need the lock.
    private let remembered = Atomic(0)

    var isEmpty: Bool { remembered.load(ordering: .relaxed) == 0 }

    /// The distinct reasons, sorted as text.
    var reasons: [String] { state.withLock { Set($0.reasons.values).sorted() } }

    /// The number of refused statements since the start.
    var count: Int { state.withLock { $0.count } }

    /// Records a statement's error if a retry would fail too.
    func note(_ error: DatabaseError, of statement: String) {
        guard error.isRefusal else { return }
        state.withLock { state in
            state.count += 1
            guard state.reasons.count < Self.limit || state.reasons[statement] != nil else {
                return
            }
            state.reasons[statement] = "\(error)"
            remembered.store(state.reasons.count, ordering: .relaxed)
        }
    }

    /// Records that a statement has worked.
    func end(of statement: String) {
        state.withLock { state in
            state.reasons[statement] = nil
            remembered.store(state.reasons.count, ordering: .relaxed)
        }
    }
}
