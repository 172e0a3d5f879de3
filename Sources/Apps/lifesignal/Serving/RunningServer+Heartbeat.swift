import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging

extension RunningServer {
    /// Returns the heartbeat; nil if the operator set no URL.
    /// - Parameter vitals: returns the vitals of this server.
    static func heartbeat(
        _ settings: ServeSettings, now: @escaping @Sendable () -> Date, logger: Logger,
        vitals: @escaping @Sendable () async -> Vitals
    ) -> Heartbeat? {
        guard let url = settings.heartbeatURL else { return nil }
        let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)
        return Heartbeat(
            vitals: vitals,
            call: {
                let answer = try await client.send(OutgoingRequest(method: "GET", url: url))
                guard (200..<300).contains(answer.status) else {
                    throw HTTPClientError.failed("\(answer.status)")
                }
            }, now: now
        ) { trouble in
            // The URL may contain a secret, so the log omits it.
            if let trouble {
                logger.error("the heartbeat is not sent", metadata: ["reason": "\(trouble)"])
            } else {
                logger.notice("the heartbeat is sent again")
            }
        }
    }

    static func loop(
        of heartbeat: Heartbeat, now: @escaping @Sendable () -> Date, logger: Logger
    ) -> BackgroundLoop {
        BackgroundLoop(
            "heartbeat", .init(longestPause: Heartbeat.interval, now: now), logger: logger
        ) { await heartbeat.beat() }
    }
}

extension DatabaseLocation {
    /// The free bytes on the database's disk; nil if the database is on another machine.
    var freeDisk: Int64? {
        guard case .file(let path) = self else { return nil }
        var status = statvfs()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard statvfs(folder, &status) == 0 else { return 0 }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }
}
