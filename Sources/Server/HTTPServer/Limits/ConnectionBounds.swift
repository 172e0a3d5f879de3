/// The maximum number of connections.
///
/// Each connection takes a file descriptor. A process without free descriptors can't open files or
/// reach the database and the providers. So the number of connections stays below the process's
/// limit.
public struct ConnectionBounds: Sendable, Equatable {
    /// Descriptors for everything but clients: outgoing connections, database and files. Web Push,
    /// APNs and FCM use up to 1,024 each; SMS, calls, e-mail and webhooks use up to 128 each.
    private static let reserve = 4_096
    /// A connection with a stream takes about 30 KiB of memory.
    private static let most = 65_536
    /// A mobile network can have this many customers behind one address.
    private static let mostPerAddress = 4_096

    public var total: Int
    /// The maximum for one IPv4 address or IPv6 /64; nil behind a proxy, which makes all
    /// connections.
    public var perAddress: Int?

    /// The maximum number of refused connections that stay open until the client has read the
    /// answer.
    var lingering: Int { min(64, total / 8) }
    /// The maximum number of open connections, including refused and closing ones. Further
    /// connections wait in the kernel, where they take no descriptor.
    var accepted: Int { total + 2 * lingering + 1 }

    public init(total: Int, perAddress: Int?) {
        self.total = total
        self.perAddress = perAddress
    }

    /// Reserves `reserve` descriptors, or half of all if that is less. One address may have a
    /// quarter of the connections.
    /// - Parameter descriptors: the process's limit (`RLIMIT_NOFILE`).
    public init(descriptors: Int, isBoundPerAddress: Bool = true) {
        total = min(Self.most, max(1, descriptors - min(Self.reserve, descriptors / 2)))
        perAddress = isBoundPerAddress ? min(Self.mostPerAddress, max(1, total / 4)) : nil
    }
}
