import Synchronization

/// The statements that the database refuses for a lasting reason, such as a missing table or
/// permission. A statement leaves the list when it works again.
final class RefusedStatements: Sendable {
    private struct State {
        var reasons: [String: String] = [:]
        var count = 0
    }

    private static let limit = 100

    private let state = Mutex(State())
    // Atomic, because it is read after each statement, where a lock would cost too much.
    private let remembered = Atomic(0)

    var isEmpty: Bool { remembered.load(ordering: .relaxed) == 0 }

    var reasons: [String] { state.withLock { Set($0.reasons.values).sorted() } }

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

    /// Removes a statement that has worked.
    func end(of statement: String) {
        state.withLock { state in
            state.reasons[statement] = nil
            remembered.store(state.reasons.count, ordering: .relaxed)
        }
    }
}
