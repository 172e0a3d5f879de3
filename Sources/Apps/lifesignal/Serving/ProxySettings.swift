import Domain
import Foundation
import HTTPServer
import Settings

extension TrustedProxies {
    /// What the operator does about an `exposure`.
    static let mend =
        "Without a proxy, remove LIFESIGNAL_TRUST_PROXY. With one, name it in --trusted-proxies."

    /// Throws `SettingError`, which names the invalid setting.
    /// - Parameter isOnSocket: whether only proxies on this machine can connect.
    init(_ options: ServeOptions, _ read: SettingReader, isOnSocket: Bool) throws {
        let trustsAll = try read.flag(options.trustProxy, "TRUST_PROXY")
        let ranges = try read.ranges(options.trustedProxies, "TRUSTED_PROXIES")
        let isHopsGiven = read.given(options.proxyHops.map { String($0) }, "PROXY_HOPS") != nil
        // Without a number, the entries of the named networks are skipped.
        let hops: Int? =
            try isHopsGiven || ranges.isEmpty
            ? read.integer(options.proxyHops, "PROXY_HOPS", default: 1, in: 1...10) : nil
        let name = read.text(options.proxyHeader, "PROXY_HEADER", default: "X-Forwarded-For")
        guard let header = Self.header(name) else {
            throw read.refusal("PROXY_HEADER", "must be the name of a header")
        }
        let peers: Peers =
            if !ranges.isEmpty || isOnSocket {
                // Named networks are the narrower trust, so they win.
                .networks(ranges)
            } else if trustsAll {
                .all
            } else {
                .none
            }
        self.init(peers: peers, hops: hops, header: header)
    }
}

extension SettingReader {
    /// Returns the URL of an outbound proxy; nil for none. Throws `SettingError` for other text.
    func proxy(_ option: String?, _ name: String) throws -> String? {
        guard let text = given(option, name) else { return nil }
        let schemes = ["http", "https", "socks5", "socks5h"]
        guard let url = URL(string: text), let scheme = url.scheme, schemes.contains(scheme),
            let host = url.host, !host.isEmpty, url.path.isEmpty || url.path == "/"
        else { throw refusal(name, "must be like http://proxy:3128 or socks5h://proxy:1080") }
        return text
    }

    /// Returns addresses and networks. Throws `SettingError` for other text.
    func ranges(_ options: [String], _ name: String) throws -> [AddressRange] {
        try list(options, name).map { text in
            guard let range = AddressRange(text) else {
                throw refusal(
                    name, "must have addresses or networks, as 127.0.0.1 or 10.0.0.0/8")
            }
            return range
        }
    }
}
