import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence

/// Sends notifications to apps through Apple's push service.
public final class APNsChannel: Channel {
    public struct Configuration: Sendable {
        public var key: APNsKey
        /// The app's bundle id.
        public var topic: String
        public var productionURL: URL
        public var sandboxURL: URL
        /// Whether Apple has entitled the app to critical alerts.
        public var allowsCritical: Bool

        /// The team id and the bundle id.
        public var appID: String { "\(key.teamID).\(topic)" }

        public init(
            key: APNsKey, topic: String, productionURL: URL, sandboxURL: URL, allowsCritical: Bool
        ) {
            self.key = key
            self.topic = topic
            self.productionURL = productionURL
            self.sandboxURL = sandboxURL
            self.allowsCritical = allowsCritical
        }
    }

    public let kind = DeliveryChannel.apns
    private let configuration: Configuration
    private let sender: AppPushSender
    private let signer: APNsSigner

    public init(_ configuration: Configuration, sender: AppPushSender) {
        self.configuration = configuration
        self.sender = sender
        signer = APNsSigner(configuration.key, now: sender.now)
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let token = delivery.url.flatMap({ AppToken(url: $0) }) else {
            return .refused(.endpointRemoved)
        }
        guard
            let message = try? APNsMessage(
                delivery, key: sender.key, topic: configuration.topic,
                allowsCritical: configuration.allowsCritical)
        else { return .refused(.other) }
        return await send(
            message, to: token, of: delivery.record.userID, registeredAt: delivery.registeredAt)
    }

    /// Tells an app to refresh itself, without a visible notification. Apple may delay or drop the
    /// message.
    public func refresh(_ token: AppToken) async -> DeliveryResult {
        await send(
            .background(topic: configuration.topic), to: token, of: nil, registeredAt: nil)
    }

    private func send(
        _ message: APNsMessage, to token: AppToken, of person: UserID?, registeredAt: Date?
    ) async -> DeliveryResult {
        guard case .apns(let environment) = token.service else {
            return .refused(.endpointRemoved)
        }
        let base =
            environment == .sandbox ? configuration.sandboxURL : configuration.productionURL
        return await sender.send(to: base.absoluteString, for: person) { [self] in
            guard var signature = signer.token() else { return .failed(.other) }
            var request = OutgoingRequest(
                url: base.appendingPathComponent("3/device/\(token.text)"),
                body: message.payload,
                // A retry replaces the first notification, and a background message shows nothing.
                isRepeatable: true)
            for attempt in 1...2 {
                request.headers = message.headers + [("authorization", "bearer \(signature)")]
                let response = try await sender.client.send(request)
                let answer = APNsAnswer(status: response.status, body: response.body)
                if answer == .expired, attempt == 1, let new = signer.token(after: signature) {
                    signature = new
                    continue
                }
                return answer.result(
                    status: response.status, pause: response.retryAfter,
                    registeredAt: registeredAt)
            }
            return .failed(.other)
        }
    }
}
