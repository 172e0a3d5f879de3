import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence

/// Posts notifications to a user's URL, signed by the Standard Webhooks specification: base64 of
/// HMAC-SHA256 over `id.timestamp.body`. The id is the delivery's. Retries use the same id, so that
/// the receiver can drop duplicates.
public struct WebhookChannel: Channel {
    public let kind = DeliveryChannel.webhook
    private let client: HTTPClient
    private let key: ServerKey
    private let now: @Sendable () -> Date

    public init(client: HTTPClient, key: ServerKey, now: @escaping @Sendable () -> Date) {
        self.client = client
        self.key = key
        self.now = now
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let url = delivery.url, let device = delivery.record.pushEndpointID else {
            return .refused(.endpointRemoved)
        }
        let body: Data
        do {
            body = try WireJSON.encoder().encode(delivery.record.notification)
        } catch {
            return .refused(.other)
        }
        let timestamp = String(now().milliseconds / 1000)
        let secret = key.webhookSecret(user: delivery.record.userID.uuid, endpoint: device.uuid)
        var request = OutgoingRequest(
            url: url,
            headers: [
                ("Content-Type", "application/json"), ("User-Agent", "LifeSignal"),
                ("webhook-id", delivery.record.id.description),
                ("webhook-timestamp", timestamp),
                (
                    "webhook-signature",
                    Self.signature(
                        id: delivery.record.id.description, timestamp: timestamp, body: body,
                        secret: secret)
                ),
            ],
            // The receiver drops duplicates by their id.
            body: body, isRepeatable: true
        )
        // Only the status and the headers matter, so a small part of the body is enough.
        request.responseLimit = 64 * 1024
        do {
            let response = try await client.send(request)
            return Self.result(of: response.status, retryAfter: response.retryAfter)
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
