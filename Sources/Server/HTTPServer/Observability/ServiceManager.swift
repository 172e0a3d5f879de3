import Domain
import Foundation

/// Tells systemd the state of this service (sd_notify(3)).
public struct ServiceManager: Sendable {
    public enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
    }

    #if canImport(Glibc)
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
    private static let datagram = SOCK_DGRAM
    #endif

    /// The time after the last `alive` at which systemd restarts this service; nil for never.
    public let watchdogLimit: Duration?
    /// The socket's address, without the zero byte that ends a path.
    private let address: [UInt8]

    /// Returns nil if no service manager listens on a local socket.
    /// - Parameter process: the id of this process. Another process may own the watchdog.
    public init?(environment: [String: String], process: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], let first = name.utf8.first,
            name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        // "@" stands for the zero byte that begins an abstract address of Linux.
        switch first {
        case UInt8(ascii: "/"): address = Array(name.utf8)
        case UInt8(ascii: "@"): address = [0] + name.utf8.dropFirst()
        default: return nil
        }
        let owner = environment["WATCHDOG_PID"]
        let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init)
        if let limit, limit > 0, owner == nil || owner == "\(process)" {
            watchdogLimit = .microseconds(limit)
        } else {
            watchdogLimit = nil
        }
    }

    /// Sends one datagram. Returns false if nothing received it within a second.
    @discardableResult
    public func tell(_ state: State) -> Bool {
        let descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        let family = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: target.sun_path)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(family + address.count)
        let text = Array(state.rawValue.utf8)
        let sent = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, 0, $0, length)
            }
        }
        return sent == text.count
    }
}
