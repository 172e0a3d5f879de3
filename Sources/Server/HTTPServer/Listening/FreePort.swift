import NIOCore
import NIOPosix

public enum FreePort {
    /// Returns a port that no program listens on at this address now. Links can then name it before
    /// the server listens. Throws if the address can't be used.
    public static func find(at host: String) async throws -> Int? {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: host, port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        return port
    }
}
