import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging
import SafetyNetwork

extension Heartbeat {
    /// Returns the heartbeat that calls the operator's URL; nil if there is none.
    static func calling(
        _ url: URL?, watching loops: [BackgroundLoop], _ monitor: DeadlineMonitor,
        _ probe: DatabaseProbe, _ disk: DatabaseLocation, _ carriers: Carriers,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) -> Heartbeat? {
        guard let url else { return nil }
        let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)
        return Heartbeat(
            vitals: {
                Vitals(
                    database: await probe.alarms(), loops: loops.map(Vitals.Loop.init),
                    deadlines: monitor.warning, freeDisk: disk.freeDisk,
                    providers: carriers.alarms)
            },
            request: {
                let answer: IncomingResponse
                do {
                    answer = try await client.send(OutgoingRequest(method: "GET", url: url))
                } catch let error as HTTPClientError {
                    throw RequestFailure(reason: error.words)
                }
                guard (200..<300).contains(answer.status) else {
                    throw RequestFailure(reason: "it answered \(answer.status)")
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

    func loop(now: @escaping @Sendable () -> Date, logger: Logger) -> BackgroundLoop {
        BackgroundLoop(
            "heartbeat", .init(longestPause: Heartbeat.interval, now: now), logger: logger
        ) { [self] in await beat() }
    }
}

extension HTTPClientError {
    /// Words for the operator, without the URL, which may contain a secret.
    fileprivate var words: String {
        switch self {
        case .privateAddress: "its address is private"
        case .timedOut: "it did not answer in time"
        case .notConnected: "no connection in time"
        case .unresolved: "its name has no address"
        case .offline: "this machine is offline"
        case .refused: "the connection was refused"
        case .insecure: "its certificate is not trusted"
        case .interrupted: "the connection broke"
        case .failed(let reason): reason
        }
    }
}
