import Foundation

/// Decides which hosts may get an operator's secrets without TLS.
public enum NearHost {
    public static func isThisMachine(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1"].contains(plain(host))
    }

    /// Returns whether a host is this machine, or in the operator's own network.
    public static func isInOwnNetwork(_ host: String) -> Bool {
        let host = plain(host)
        if isThisMachine(host) { return true }
        if let bytes = bytes(of: host) { return !PublicAddress.isPublic(bytes) }
        // A name is in the operator's network if its domain is missing, or reserved for local
        // networks (RFC 6762, RFC 8375, and ICANN's reservation).
        return !host.contains(".")
            || [".local", ".internal", ".lan", ".home.arpa"].contains(where: host.hasSuffix)
    }

    private static func plain(_ host: String) -> String {
        host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased()
    }

    /// Returns the bytes of an IPv4 or IPv6 address; nil for a name.
    private static func bytes(of host: String) -> [UInt8]? {
        var four = in_addr()
        // As the resolver, it also reads 8.8.8.8 as 134744072 or 0x08080808.
        if inet_aton(host, &four) != 0 { return withUnsafeBytes(of: four, Array.init) }
        var six = in6_addr()
        return inet_pton(AF_INET6, host, &six) == 1 ? withUnsafeBytes(of: six, Array.init) : nil
    }
}
