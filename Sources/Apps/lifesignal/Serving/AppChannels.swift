import Cryptography
import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Logging

/// The channels to apps, one for each configured service, and the services' health.
struct AppChannels: Sendable {
    static let triesAtOnce = 512
    /// The number of connections. With HTTP/2 each carries a hundred concurrent requests.
    private static let connections = 8

    private let channels: [any Channel]
    /// The channel to apps on Apple's devices; nil if it is not configured.
    let apns: APNsChannel?
    let health: [DeliveryChannel: ProviderHealth]

    init(
        _ settings: AppPushSettings, proxy: String?, key: ServerKey,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        var channels: [any Channel] = []
        var health: [DeliveryChannel: ProviderHealth] = [:]
        func sender(
            _ channel: DeliveryChannel, _ name: String, _ authorities: String?
        ) -> AppPushSender {
            let own = ProviderHealth(name: "messages by \(name)", now: now) {
                Self.log($0, name, logger)
            }
            health[channel] = own
            return AppPushSender(
                client: HTTPClient(
                    allowsPrivateAddresses: true, connections: Self.connections,
                    authorities: authorities, proxy: proxy),
                key: key, health: own, limit: Self.triesAtOnce, now: now)
        }
        apns = settings.apns.map { apns in
            let sender = sender(.apns, "Apple's push service", apns.authorities)
            return APNsChannel(apns.configuration, sender: sender)
        }
        if let apns { channels.append(apns) }
        if let fcm = settings.fcm {
            let sender = sender(.fcm, "Firebase Cloud Messaging", fcm.authorities)
            channels.append(FCMChannel(fcm.account, baseURL: fcm.baseURL, sender: sender))
        }
        self.channels = channels
        self.health = health
    }

    func channels(of kind: DeliveryChannel) -> [any Channel] {
        channels.filter { $0.kind == kind }
    }

    static func log(_ trouble: ProviderHealth.Trouble?, _ name: String, _ logger: Logger) {
        guard let trouble else { return logger.notice("\(name) takes messages again") }
        let words =
            switch trouble.reason.kind {
            case .credentials: "refuses this server's credentials or settings"
            case .http: "answers only with errors"
            default: "can't be reached"
            }
        logger.error("\(name) \(words)", metadata: ["reason": "\(trouble.reason)"])
    }

    func addGauges(to metrics: Metrics) {
        for (channel, health) in health {
            metrics.add(
                .init(.pushProviderFailing, labels: "channel=\"\(channel.rawValue)\"") {
                    health.isFailing ? 1 : 0
                })
        }
    }
}
