import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence

/// Sends notifications to a user's URL, in the form of the webhook's template. Signed JSON follows
/// the Standard Webhooks specification: base64 of HMAC-SHA256 over `id.timestamp.body`. The id is
/// the delivery's. Retries use the same id, so that the receiver can drop duplicates.
public struct WebhookChannel: Channel {
    public let kind = DeliveryChannel.webhook
    private let client: HTTPClient
    private let key: ServerKey
    private let publicURL: URL
    private let now: @Sendable () -> Date
    private let followKey: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - publicURL: the web app, which messages for other services link to.
    ///   - followKey: takes the key that another server has rotated to.
    public init(
        client: HTTPClient, key: ServerKey, publicURL: URL, now: @escaping @Sendable () -> Date,
        followKey: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.client = client
        self.key = key
        self.publicURL = publicURL
        self.now = now
        self.followKey = followKey
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let url = delivery.url, let device = delivery.record.pushEndpointID else {
            return .refused(.endpointRemoved)
        }
        switch delivery.webhook.template {
        case .lifesignal: return await sendSigned(delivery, to: url, device)
        case .ntfy, .matrix, .telegram, .text:
            return await sendMessage(delivery, to: url, device)
        // A newer server beside this one knows the template.
        case .unknown: return .failed(.other)
        }
    }

    private func sendMessage(
        _ delivery: LeasedDelivery, to url: URL, _ device: PushEndpointID
    ) async -> DeliveryResult {
        let webhook = delivery.webhook
        var token = self.token(of: delivery, device)
        if webhook.sealedToken != nil, token == nil {
            guard (try? await followKey()) != nil else { return .failed(.other) }
            token = self.token(of: delivery, device)
        }
        guard webhook.sealedToken == nil || token != nil else {
            // Another server beside this one may have the key. Otherwise, it is lost.
            return key.isBehind ? .failed(.other) : .refused(.unreadableKeys)
        }
        let message = WebhookMessage(
            delivery: delivery, url: url, token: token, publicURL: publicURL)
        guard let request = try? message.request() else { return .refused(.other) }
        return await send(request) {
            WebhookAnswer(
                template: webhook.template, status: $0.status, body: $0.body,
                retryAfter: $0.retryAfter
            ).result
        }
    }

    private func token(of delivery: LeasedDelivery, _ device: PushEndpointID) -> String? {
        delivery.webhook.sealedToken.flatMap {
            key.open(
                webhookToken: $0, user: delivery.record.userID.uuid, endpoint: device.uuid)
        }
    }

    private func sendSigned(
        _ delivery: LeasedDelivery, to url: URL, _ device: PushEndpointID
    ) async -> DeliveryResult {
        let body: Data
        do {
            body = try WireJSON.encoder().encode(delivery.record.notification)
        } catch {
            return .refused(.other)
        }
        let timestamp = String(now().milliseconds / 1000)
        let secrets = key.webhookSecrets(
            user: delivery.record.userID.uuid, endpoint: device.uuid)
        // The receiver may have the secret of any key. The specification allows several signatures.
        let signatures = secrets.map {
            Self.signature(
                id: delivery.record.id.description, timestamp: timestamp, body: body, secret: $0)
        }
        let request = OutgoingRequest(
            url: url,
            headers: [
                ("Content-Type", "application/json"), ("User-Agent", PushEndpoint.userAgent),
                ("webhook-id", delivery.record.id.description),
                ("webhook-timestamp", timestamp),
                ("webhook-signature", signatures.joined(separator: " ")),
            ],
            // The receiver drops duplicates by their id.
            body: body, isRepeatable: true
        )
        return await send(request) { Self.result(of: $0.status, retryAfter: $0.retryAfter) }
    }

    private func send(
        _ request: OutgoingRequest, result: (IncomingResponse) -> DeliveryResult
    ) async -> DeliveryResult {
        var request = request
        // Answers are short. The rest of a long one doesn't matter.
        request.responseLimit = 64 * 1024
        do {
            return result(try await client.send(request))
        } catch HTTPClientError.privateAddress {
            return .refused(.privateAddress)
        } catch {
            return .failed(DeliveryReason(error))
        }
    }

    public static func signature(id: String, timestamp: String, body: Data, secret: Data) -> String
    {
        "v1,"
            + Digest.hmacSHA256(Data("\(id).\(timestamp).".utf8) + body, key: secret)
            .base64EncodedString()
    }

    static func result(of status: Int, retryAfter: Duration = .zero) -> DeliveryResult {
        switch status {
        case 200..<300: .accepted(providerID: nil)
        case 404, 410: .gone(.http(status))
        case 401, 403, 408, 425, 429: .failed(.http(status), after: retryAfter)
        case 300..<500: .refused(.http(status))
        default: .failed(.http(status), after: retryAfter)
        }
    }
}
