import Cryptography
import Foundation
import HTTPClient

/// Builds the requests that send messages to push services (RFC 8030).
public struct PushRequestBuilder: Sendable {
    private let signer: VAPIDSigner
    private let random: RandomBytes
    private let timeout: Duration
    private let userAgent: String?

    /// - Parameters:
    ///   - timeout: the time limit of each request, up to the end of the response.
    ///   - userAgent: the User-Agent of each request; nil for none.
    public init(
        signer: VAPIDSigner, random: RandomBytes = .system, timeout: Duration = .seconds(10),
        userAgent: String? = nil
    ) {
        self.signer = signer
        self.userAgent = userAgent
        self.random = random
        self.timeout = timeout
    }

    /// Returns the request for one attempt. Each attempt has its own key and salt.
    public func request(for message: PushMessage, to subscription: PushSubscription)
        throws(PushRequestError) -> OutgoingRequest
    {
        let body = try PushEncryption.encrypt(message.payload, for: subscription, random: random)
        guard let authorization = signer.authorization(for: subscription.origin) else {
            throw .signingFailed
        }
        var headers: [(name: String, value: String)] = [
            ("Content-Type", "application/octet-stream"),
            ("Content-Encoding", "aes128gcm"),
            ("TTL", String(message.seconds)),
            ("Urgency", message.urgency.rawValue),
            ("Authorization", authorization),
        ]
        if let userAgent { headers.append(("User-Agent", userAgent)) }
        if let topic = message.topic { headers.append(("Topic", topic.text)) }
        var request = OutgoingRequest(
            url: subscription.endpoint, headers: headers, body: body, timeout: timeout,
            // A duplicate is harmless, because a notification with the same `tag` replaces the
            // first. Only repeatable requests reuse connections, and a new TLS connection costs
            // more than the message.
            isRepeatable: true
        )
        // Only the head of the response matters.
        request.responseLimit = 64 * 1024
        return request
    }
}

public enum PushRequestError: Error, Equatable, Sendable {
    /// The payload has more than `PushEncryption.payloadLimit` bytes.
    case payloadTooLarge
    /// libcrypto or the source of randomness failed.
    case encryptionFailed
    case signingFailed
}
