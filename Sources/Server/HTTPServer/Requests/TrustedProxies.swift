import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The proxies that may say which address a request comes from.
public struct TrustedProxies: Sendable {
    public enum Peers: Sendable {
        case none, all
        /// Also trusts peers on a Unix socket, because its file says who may connect.
        case networks([AddressRange])
    }

    public var peers: Peers
    /// The number of proxies that each add an entry to the header. If nil, skips the entries of the
    /// known networks.
    public var hops: Int?
    public var header: HTTPField.Name

    public static let none = TrustedProxies(peers: .none, hops: 1)

    /// - Parameter header: nil for X-Forwarded-For.
    public init(peers: Peers, hops: Int?, header: HTTPField.Name? = nil) {
        self.peers = peers
        self.hops = hops
        self.header = header ?? .xForwardedFor
    }

    /// Returns nil if the text can't be the name of a header.
    public static func header(_ name: String) -> HTTPField.Name? { HTTPField.Name(name) }

    public var isInUse: Bool { if case .none = peers { false } else { true } }

    /// Returns why any client can choose the address that limits and logs name; nil if none can.
    /// - Parameter servesTLS: whether the server speaks TLS itself, which often means that clients
    ///   connect without a proxy.
    public func exposure(servesTLS: Bool) -> String? {
        guard servesTLS, case .all = peers else { return nil }
        return "the server speaks TLS itself and trusts \(header) of everyone who connects"
    }

    /// Returns the client's address: the header's if the peer is trusted, else the peer's.
    func address(of request: Request, from peer: SocketAddress?) -> String {
        let own = peer?.ipAddress ?? "unknown"
        guard trusts(peer), let value = request.headers[header] else { return own }
        let entries = value.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        // Each proxy appends an entry. The client can invent the earlier entries.
        guard let hops else { return entries.last { !isKnown($0) } ?? entries.first ?? own }
        return entries.count >= hops ? entries[entries.count - hops] : own
    }

    /// Whether the headers of a peer count.
    func trusts(_ peer: SocketAddress?) -> Bool {
        switch (peers, peer) {
        case (.none, _): false
        case (.all, _): true
        case (.networks, .some(.unixDomainSocket)): true
        case (.networks, let peer): peer?.ipAddress.map(isKnown) ?? false
        }
    }

    private func isKnown(_ address: String) -> Bool {
        guard case .networks(let ranges) = peers, let bytes = NetworkAddress.bytes(of: address)
        else { return false }
        return ranges.contains { $0.contains(bytes) }
    }
}

/// The trusted proxies of a running server. The operator can change them.
public final class LiveProxies: Sendable {
    private let value: Mutex<TrustedProxies>

    public init(_ proxies: TrustedProxies) { value = Mutex(proxies) }

    public func set(_ proxies: TrustedProxies) { value.withLock { $0 = proxies } }

    var current: TrustedProxies { value.withLock { $0 } }
}
