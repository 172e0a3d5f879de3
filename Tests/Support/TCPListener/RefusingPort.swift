import Foundation

/// A reserved port of this machine on which no program listens.
public final class RefusingPort: Sendable {
    public let url: URL
    private let socket: Int32

    public init() throws {
        #if canImport(Darwin)
        socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        guard isBound, let url = URL(string: "http://127.0.0.1:\(port)/hook") else {
            close(socket)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.url = url
    }

    deinit { close(socket) }
}
