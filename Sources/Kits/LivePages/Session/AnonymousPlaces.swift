/// Where a browser is, as far as the shares of those who are not signed in go.
public struct VisitorOrigin: Hashable, Sendable {
    /// One IPv4 address, or one IPv6 /64.
    public var address: String
    /// The /48 around it, which may be one customer's; nil for IPv4.
    public var network: String?

    public init(address: String, network: String? = nil) {
        self.address = address
        self.network = network
    }
}

/// The sessions that began without a sign-in, by where their browsers are. Anybody can begin one,
/// so each address has a share of them, and all together have a share of the server.
struct AnonymousPlaces<ID: Hashable> {
    /// How many there may be.
    struct Limits: Sendable {
        var address: Int
        var network: Int
        var all: Int
    }

    private let limits: Limits
    private var origins: [ID: VisitorOrigin] = [:]
    /// The oldest first.
    private var byAddress: [String: [ID]] = [:]
    private var byNetwork: [String: [ID]] = [:]

    init(limits: Limits) { self.limits = limits }

    var all: Dictionary<ID, VisitorOrigin>.Keys { origins.keys }
    var isFull: Bool { origins.count >= limits.all }

    func hasRoom(for origin: VisitorOrigin) -> Bool {
        !isFull && neighbours(ofNewcomerFrom: origin) == nil
    }

    /// The sessions that use up the share of this address, or of its network; nil when one more
    /// fits in.
    func neighbours(ofNewcomerFrom origin: VisitorOrigin) -> [ID]? {
        if let ids = byAddress[origin.address], ids.count >= limits.address { return ids }
        if let ids = origin.network.flatMap({ byNetwork[$0] }), ids.count >= limits.network {
            return ids
        }
        return nil
    }

    /// Those of the address that has most first, of each the oldest first.
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
