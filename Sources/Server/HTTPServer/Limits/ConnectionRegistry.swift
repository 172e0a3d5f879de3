import Domain
import Synchronization

/// The open connections. When the server is full, closes an inactive connection for a new one, or
/// refuses the new one.
///
/// Closes a connection of the address with the most connections. Prefers `new` connections, then
/// `idle`, then `reading`, and the oldest of each. Never closes one in the phase `answering`, which
/// includes streams.
final class ConnectionRegistry: Sendable {
    enum Phase: Int, Sendable {
        /// No request has arrived yet.
        case new
        case idle
        case reading
        case answering

        /// The minimum time in this phase before the server may close the connection for a new one;
        /// nil for never. This protects new and just used connections in a flood.
        fileprivate var protected: Duration? {
            switch self {
            case .new, .idle: .seconds(1)
            case .reading: .seconds(5)
            case .answering: nil
            }
        }

        fileprivate static let closable: [Phase] = [.new, .idle, .reading]
    }

    typealias ID = UInt64

    enum Admission: Equatable, Sendable {
        case admitted(ID)
        /// - Parameter lingers: whether the connection stays open until the client has read the
        ///   answer. If so, the caller must call `endLingering`.
        case refused(lingers: Bool)
    }

    private struct Connection {
        var address: String
        var phase = Phase.new
        var since: ContinuousClock.Instant
        /// The number of the connection's current queue entry. Its other entries are stale.
        var ticket: UInt64
        var close: @Sendable () -> Void
    }

    /// Connections in the order of entering a phase. Some entries are stale.
    private struct Queue {
        private var entries: [(id: ID, ticket: UInt64)] = []
        private var first = 0

        mutating func append(
            _ id: ID, _ ticket: UInt64, keeping count: Int, isCurrent: (ID, UInt64) -> Bool
        ) {
            if entries.count - first >= max(64, 2 * count) {
                entries = entries[first...].filter { isCurrent($0.id, $0.ticket) }
                first = 0
            }
            entries.append((id, ticket))
        }

        mutating func oldest(isCurrent: (ID, UInt64) -> Bool) -> ID? {
            while first < entries.count {
                let entry = entries[first]
                if isCurrent(entry.id, entry.ticket) { return entry.id }
                first += 1
            }
            (entries, first) = ([], 0)
            return nil
        }
    }

    private struct Candidate {
        var id: ID
        /// Whether the connection entered its phase too recently to be closed.
        var isProtected: Bool
    }

    private struct Group {
        var count = 0
        var queues = [Queue](repeating: Queue(), count: Phase.closable.count)
    }

    private struct State {
        var connections: [ID: Connection] = [:]
        var groups: [String: Group] = [:]
        var lastID: ID = 0
        var lastTicket: UInt64 = 0
        var lingering = 0

        mutating func add(
            _ address: String, at now: ContinuousClock.Instant,
            _ close: @escaping @Sendable () -> Void
        ) -> Admission {
            lastID += 1
            connections[lastID] = .init(address: address, since: now, ticket: 0, close: close)
            groups[address, default: .init()].count += 1
            enqueue(lastID, .new, address)
            return .admitted(lastID)
        }

        mutating func move(
            _ id: ID, to phase: Phase,
            at now: ContinuousClock.Instant
        ) {
            guard let known = connections[id], known.phase != phase else { return }
            connections[id]?.phase = phase
            connections[id]?.since = now
            enqueue(id, phase, known.address)
        }

        private mutating func enqueue(
            _ id: ID, _ phase: Phase, _ address: String
        ) {
            lastTicket += 1
            connections[id]?.ticket = lastTicket
            guard phase.protected != nil else { return }
            let (ticket, connections) = (lastTicket, connections)
            let count = groups[address]?.count ?? 0
            groups[address]?.queues[phase.rawValue].append(
                id, ticket, keeping: count
            ) { connections[$0]?.ticket == $1 }
        }

        mutating func remove(
            _ id: ID
        ) -> (@Sendable () -> Void)? {
            guard let connection = connections.removeValue(forKey: id) else { return nil }
            groups[connection.address]?.count -= 1
            if groups[connection.address]?.count == 0 { groups[connection.address] = nil }
            return connection.close
        }

        /// Removes a connection of the address to make room for a new one. Returns its `close`; nil
        /// if none may be closed.
        mutating func removeClosable(
            of address: String, at now: ContinuousClock.Instant
        ) -> (@Sendable () -> Void)? {
            candidate(of: address, at: now).flatMap { $0.isProtected ? nil : remove($0.id) }
        }

        /// Removes an inactive connection of the address with the most connections. Skips addresses
        /// without one. So a flood from one address costs other addresses no connection.
        mutating func removeClosable(at now: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
            var found: (candidate: Candidate, count: Int)?
            for (address, group) in groups where group.count > found?.count ?? 0 {
                if let candidate = candidate(of: address, at: now) {
                    found = (candidate, group.count)
                }
            }
            return found.flatMap { $0.candidate.isProtected ? nil : remove($0.candidate.id) }
        }

        private mutating func candidate(
            of address: String, at now: ContinuousClock.Instant
        ) -> Candidate? {
            let connections = connections
            for phase in Phase.closable {
                guard let protected = phase.protected,
                    let id = groups[address]?.queues[phase.rawValue].oldest(isCurrent: {
                        connections[$0]?.ticket == $1
                    }), let connection = connections[id]
                else { continue }
                return Candidate(id: id, isProtected: connection.since + protected > now)
            }
            return nil
        }
    }

    private let bounds: ConnectionBounds
    private let now: @Sendable () -> ContinuousClock.Instant
    private let report: @Sendable (Event) -> Void
    private let state = Mutex(State())

    enum Event: Sendable { case refused, closedForAnother }

    init(
        _ bounds: ConnectionBounds,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.bounds = bounds
        self.now = now
        self.report = report
    }

    var count: Int { state.withLock { $0.connections.count } }

    /// Admits a new connection if there is room or another connection can be closed.
    /// - Parameter close: closes the connection. Any thread may call it.
    func open(
        from address: NetworkAddress, close: @escaping @Sendable () -> Void
    ) -> Admission {
        let now = now()
        var closeOther: (@Sendable () -> Void)?
        let admission = state.withLock { state in
            let own = state.groups[address.key, default: Group()].count
            if let most = bounds.perAddress, own >= most {
                closeOther = state.removeClosable(of: address.key, at: now)
            } else if state.connections.count >= bounds.total {
                closeOther = state.removeClosable(at: now)
            } else {
                return state.add(address.key, at: now, close)
            }
            if closeOther != nil { return state.add(address.key, at: now, close) }
            let lingers = state.lingering < bounds.lingering
            if lingers { state.lingering += 1 }
            return .refused(lingers: lingers)
        }
        if let closeOther {
            closeOther()
            report(.closedForAnother)
        } else if case .refused = admission {
            report(.refused)
        }
        return admission
    }

    func move(_ id: ID, to phase: Phase) {
        let now = now()
        state.withLock { $0.move(id, to: phase, at: now) }
    }

    func close(_ id: ID) { state.withLock { _ = $0.remove(id) } }

    func endLingering() { state.withLock { $0.lingering -= 1 } }
}
