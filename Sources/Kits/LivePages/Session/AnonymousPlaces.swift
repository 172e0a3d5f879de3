/// A browser's network origin, for the quotas of anonymous sessions.
public struct VisitorOrigin: Hashable, Sendable {
    /// An IPv4 address, or an IPv6 /64.
    public var address: String
    /// The surrounding IPv6 /48, which may belong to one customer. `nil` for IPv4.
    public var network: String?

    public init(address: String, network: String? = nil) {
        self.address = address
        self.network = network
    }
}

/// Counts anonymous sessions by their network origin. Anyone can start a session, so each address,
/// each network and the server have a quota.
struct AnonymousPlaces<ID: Hashable> {
    struct Limits: Sendable {
        var address: Int
        var network: Int
        var all: Int
    }

    private let limits: Limits
    private var origins: [ID: VisitorOrigin] = [:]
    /// The sessions of each address, oldest first.
    private var byAddress: [String: [ID]] = [:]
    private var byNetwork: [String: [ID]] = [:]

    init(limits: Limits) { self.limits = limits }

    var all: Dictionary<ID, VisitorOrigin>.Keys { origins.keys }
    var isFull: Bool { origins.count >= limits.all }

    func hasRoom(for origin: VisitorOrigin) -> Bool {
        !isFull && neighbours(ofNewcomerFrom: origin) == nil
    }

    /// Returns the sessions that use up the quota of the address or its network. Returns nil if
    /// another session is allowed.
    func neighbours(ofNewcomerFrom origin: VisitorOrigin) -> [ID]? {
        if let ids = byAddress[origin.address], ids.count >= limits.address { return ids }
        if let ids = origin.network.flatMap({ byNetwork[$0] }), ids.count >= limits.network {
            return ids
        }
        return nil
    }

    /// All sessions, grouped by address. The address with the most sessions comes first. Within an
    /// address, the oldest session comes first.
    var byCrowd: [ID] { byAddress.values.sorted { $0.count > $1.count }.flatMap(\.self) }

    mutating func add(_ id: ID, from origin: VisitorOrigin) {
        origins[id] = origin
        byAddress[origin.address, default: []].append(id)
        if let network = origin.network { byNetwork[network, default: []].append(id) }
    }

    mutating func remove(_ id: ID) {
        guard let origin = origins.removeValue(forKey: id) else { return }
        Self.remove(id, at: origin.address, from: &byAddress)
        if let network = origin.network { Self.remove(id, at: network, from: &byNetwork) }
    }

    mutating func move(_ id: ID, to newID: ID) {
        guard let origin = origins[id] else { return }
        remove(id)
        add(newID, from: origin)
    }

    private static func remove(_ id: ID, at key: String, from ids: inout [String: [ID]]) {
        ids[key]?.removeAll { $0 == id }
        if ids[key]?.isEmpty == true { ids[key] = nil }
    }
}
