import Foundation

/// A server that rejects each connection as PostgreSQL does.
final class RefusingServer: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameter code: an error code from Appendix A of PostgreSQL's manual.
    init(code: String, message: String) throws {
        let (listener, port) = try TCPSocket.open()
        (self.listener, self.port) = (listener, port)
        let fields = "SFATAL\0VFATAL\0C\(code)\0M\(message)\0\0"
        let length = withUnsafeBytes(of: UInt32(fields.utf8.count + 4).bigEndian) { Array($0) }
        let answer = Array("E".utf8) + length + Array(fields.utf8)
        Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                // A request for encryption has eight bytes. The response N refuses encryption.
                while recv(client, &buffer, buffer.count, 0) == 8 { send(client, "N", 1, 0) }
                send(client, answer, answer.count, 0)
                shutdown(client, Int32(SHUT_WR))
                while recv(client, &buffer, buffer.count, 0) > 0 {}
                close(client)
            }
            close(listener)
        }.start()
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}

enum TCPSocket {
    /// Opens a socket. Returns it with its port, which is reserved while the socket is open.
    /// - Parameter isListening: false if connections to the port must be refused.
    static func open(isListening: Bool = true) throws -> (socket: Int32, port: Int) {
        let listener = new()
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && (!isListening || listen(listener, 64) == 0)
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isOpen else { throw POSIXError(.EADDRNOTAVAIL) }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func connected(to port: Int) -> Int32 {
        let socket = new()
        var address = address(port: port)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return socket
    }

    private static func new() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
