import Domain
import Foundation
import Persistence
import Synchronization

/// Caches the sessions of recent access tokens, so that a check-in needs no look-up. A commit that
/// ends a session or exchanges its tokens removes the entry. Other servers announce their commits
/// by hints, which may be lost. With several servers, an entry therefore expires after five
/// seconds.
public final class CallerCache: Sendable {
    private struct Entry {
        var session: SessionRow
        var lookedUpAt: Date
    }

    private struct State {
        var sessions: [Data: Entry] = [:]
        var hashes: [SessionID: Set<Data>] = [:]
        /// The time zones that users' devices have reported to this server.
        var timeZones: [UserID: (name: String, at: Date)] = [:]
        /// The number of removals. A look-up that began before a removal must not add the removed
        /// session.
        var generation = 0
    }

    private let state = Mutex(State())
    /// An entry's age limit if other servers can end sessions.
    public static let ageBesideOthers: Duration = .seconds(5)

    private let limit: Int
    private let oldest: Duration?

    /// - Parameter oldest: an entry's age limit; nil if only this server can end sessions.
    public init(limit: Int = 20_000, oldest: Duration? = nil) {
        self.limit = limit
        self.oldest = oldest
    }

    func session(_ hash: Data, at now: Date) -> SessionRow? {
        guard let entry = state.withLock({ $0.sessions[hash] }) else { return nil }
        guard let oldest else { return entry.session }
        return now.since(entry.lookedUpAt).size < oldest ? entry.session : nil
    }

    var generation: Int { state.withLock { $0.generation } }

    func remember(_ session: SessionRow, hash: Data, generation: Int, at now: Date) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.sessions.count >= limit {
                state.sessions.removeAll(keepingCapacity: true)
                state.hashes.removeAll(keepingCapacity: true)
            }
            state.sessions[hash] = Entry(session: session, lookedUpAt: now)
            state.hashes[session.caller.sessionID, default: []].insert(hash)
        }
    }

    func timeZone(of user: UserID, at now: Date) -> String? {
        guard let zone = state.withLock({ $0.timeZones[user] }) else { return nil }
        // Another server may know a newer time zone.
        guard let oldest else { return zone.name }
        return now.since(zone.at).size < oldest ? zone.name : nil
    }

    func note(timeZone: String, of user: UserID, at now: Date) {
        state.withLock { state in
            if state.timeZones.count >= limit { state.timeZones.removeAll(keepingCapacity: true) }
            state.timeZones[user] = (timeZone, now)
        }
    }

    /// Forgets all sessions, because other servers may have ended some of them.
    public func forgetAll() {
        state.withLock { state in
            state.generation += 1
            (state.sessions, state.hashes) = ([:], [:])
        }
    }

    /// Forgets sessions. Call this after the commit that ended them.
    public func forget(_ sessions: some Collection<SessionID>) {
        guard !sessions.isEmpty else { return }
        state.withLock { state in
            state.generation += 1
            for session in sessions {
                for hash in state.hashes.removeValue(forKey: session) ?? [] {
                    state.sessions[hash] = nil
                }
            }
        }
    }
}
