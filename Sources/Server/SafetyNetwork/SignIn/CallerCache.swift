import Domain
import Foundation
import Persistence
import Synchronization

/// The sessions behind recently seen access tokens, so that a check-in does not cost a look-up. A
/// session that ends, or whose tokens were exchanged, is forgotten by the commit that did it.
public final class CallerCache: Sendable {
    private struct State {
        var sessions: [Data: SessionRow] = [:]
        var hashes: [SessionID: Data] = [:]
        /// Counts the forgettings, so that a look-up that began before one does not bring its
        /// session back.
        var generation = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    public init(limit: Int = 20_000) { self.limit = limit }

    func session(_ hash: Data) -> SessionRow? { state.withLock { $0.sessions[hash] } }

    var generation: Int { state.withLock { $0.generation } }

    func remember(_ session: SessionRow, hash: Data, generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.sessions.count >= limit {
                state.sessions.removeAll(keepingCapacity: true)
                state.hashes.removeAll(keepingCapacity: true)
            }
            state.sessions[hash] = session
            state.hashes[session.caller.sessionID] = hash
        }
    }

    /// Called after the commit that ended the sessions.
    public func forget(_ sessions: [SessionID]) {
        guard !sessions.isEmpty else { return }
        state.withLock { state in
            state.generation += 1
            for session in sessions {
                if let hash = state.hashes.removeValue(forKey: session) {
                    state.sessions[hash] = nil
                }
            }
        }
    }
}
