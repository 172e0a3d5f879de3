/// A browser's network origin, for the quotas of anonymous sessions.
public struct VisitorOrigin: Hashable, Sendable {
    /// An IPv4 address, or an IPv6 /64.
    public var address: String
    /// The surrounding /48, which may belong to one customer; nil for IPv4.
    public var network: String?

    public init(address: String, network: String? = nil) {
        self.address = address
        self.network = network
    }
}

/// The anonymous sessions, by the origin of their browsers. Anyone can start one, so each address
/// has a quota, and the whole server has one for all of them together.
struct AnonymousPlaces<ID: Hashable> {
    /// The maximum numbers of sessions.
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

    /// Returns the sessions that use up the quota of this address or of its network; nil if both
    /// quotas allow another session.
    func neighbours(ofNewcomerFrom origin: VisitorOrigin) -> [ID]? {
        if let ids = byAddress[origin.address], ids.count >= limits.address { return ids }
        if let ids = origin.network.flatMap({ byNetwork[$0] }), ids.count >= limits.network {
            return ids
        }
        return nil
    }

    /// All sessions. Those of the address with the most sessions come first, and for each address
    /// the oldest first.
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

    private static func remove(_ id: ID, at key: String, from ids: inout [String: [ID]]) {
        ids[key]?.removeAll { $0 == id }
        if ids[key]?.isEmpty == true { ids[key] = nil }
    }
}
