/// The maximum number of connections.
///
/// Each connection takes a file descriptor. A process without free descriptors can't open files or
/// reach the database and the providers, and libdispatch even aborts it. So the number of
/// connections stays below the process's limit.
public struct ConnectionBounds: Sendable, Equatable {
    /// Descriptors for everything else: up to 1,024 connections each to Web Push, APNs and FCM, 128
    /// each to the providers of SMS, calls, e-mail and webhooks, the database, and files.
    private static let reserve = 4_096
    /// A connection with a stream takes about 30 KiB of memory.
    private static let most = 65_536
    /// Enough for a mobile network whose customers share one address.
    private static let mostPerAddress = 4_096

    public var total: Int
    /// The maximum for one IPv4 address or IPv6 /64; nil if a proxy makes all connections.
    public var perAddress: Int?

    /// The maximum number of refused connections that stay open until the client has read
    /// the answer.
    var lingering: Int { min(64, total / 8) }
    /// The maximum number of accepted connections, including those that are being refused or
    /// closed. Further ones wait in the kernel, where they take no descriptor.
    var accepted: Int { total + 2 * lingering + 1 }

    public init(total: Int, perAddress: Int?) {
        self.total = total
        self.perAddress = perAddress
    }

    /// Leaves half of the process's descriptors free, but not more than `reserve`. One address may
    /// have a quarter of the connections.
    /// - Parameter descriptors: the process's limit (`RLIMIT_NOFILE`).
    public init(descriptors: Int, isBoundPerAddress: Bool = true) {
        total = min(Self.most, max(1, descriptors - min(Self.reserve, descriptors / 2)))
        perAddress = isBoundPerAddress ? min(Self.mostPerAddress, max(1, total / 4)) : nil
    }
}
