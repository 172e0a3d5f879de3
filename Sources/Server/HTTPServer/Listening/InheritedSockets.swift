import Foundation

/// The listening sockets that the service manager has opened for this process (sd_listen_fds(3)).
public struct InheritedSockets: Sendable, Equatable {
    /// The number of sockets in use: for people, and for health and metrics.
    private static let most = 2
    /// The first descriptor that the service manager passes (SD_LISTEN_FDS_START).
    private static let firstDescriptor: Int32 = 3
    private static let internalName = "internal"
    private static let publicName = "public"

    /// The descriptor of the socket for people; nil if the server opens one itself.
    public var main: Int32?
    /// The descriptor of the socket for health and metrics; nil without one.
    public var health: Int32?

    public struct Refusal: Error, Equatable, CustomStringConvertible {
        public var description: String
    }

    public init(main: Int32? = nil, health: Int32? = nil) {
        self.main = main
        self.health = health
    }

    /// Throws `Refusal` if the sockets can't be used. Finds none if they are for another process.
    /// - Parameters:
    ///   - process: the id of this process.
    ///   - take: prepares a descriptor; returns false if it is no listening socket for streams.
    public init(
        environment: [String: String], process: Int32 = getpid(),
        take: (Int32) -> Bool = InheritedSockets.take
    ) throws {
        self.init()
        guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else {
            return
        }
        guard let count = Int(text), (0...Self.most).contains(count) else {
            throw Refusal(
                description: "the server can use at most \(Self.most) sockets, not \(text).")
        }
        let names = try Self.names(environment["LISTEN_FDNAMES"], count: count)
        for (index, name) in names.enumerated() {
            let descriptor = Self.firstDescriptor + Int32(index)
            guard take(descriptor) else {
                throw Refusal(
                    description:
                        "descriptor \(descriptor) (\(name)) is no listening socket for streams.")
            }
            if name == Self.internalName { health = descriptor } else { main = descriptor }
        }
    }

    /// Returns the sockets' names. One socket may have any name, because systemd uses the unit's.
    private static func names(_ text: String?, count: Int) throws -> [String] {
        let given = text.map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        let names = given ?? Array([publicName, internalName].prefix(count))
        guard count > 0 else { return [] }
        guard names.count == count else {
            throw Refusal(
                description: "LISTEN_FDNAMES names \(names.count) sockets, and there are \(count).")
        }
        guard count == 1 || Set(names) == [publicName, internalName] else {
            throw Refusal(
                description:
                    """
                    two sockets need the names \(publicName) and \(internalName) \
                    (FileDescriptorName in the units).
                    """)
        }
        return names
    }

    /// Keeps the descriptor from child processes. Returns whether it is a listening socket for
    /// streams.
    public static func take(_ descriptor: Int32) -> Bool {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        guard option(SO_TYPE, of: descriptor) == stream,
            option(SO_ACCEPTCONN, of: descriptor) == 1
        else { return false }
        return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Whether the descriptor is a Unix socket.
    public static func isLocal(_ descriptor: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return found == 0 && Int32(address.ss_family) == AF_UNIX
    }

    /// Returns nil if the descriptor isn't a socket.
    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { return nil }
        return value
    }
}
