import Foundation

enum HostAddress {
    /// Calls `body` with the first address of a host, on which a server listens. Throws
    /// `Unresolved`.
    static func first<Value>(
        of host: String, port: Int, _ body: (addrinfo) throws -> Value
    ) throws -> Value {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0, let found else {
            throw Unresolved(reason: String(cString: gai_strerror(code)))
        }
        return try body(found.pointee)
    }

    /// Returns nil if the host has an address, otherwise the system's text for the error.
    static func trouble(with host: String) -> String? {
        do {
            try first(of: host, port: 0) { _ in }
            return nil
        } catch {
            return (error as? Unresolved)?.reason ?? "\(error)"
        }
    }

    struct Unresolved: Error { var reason: String }
}
