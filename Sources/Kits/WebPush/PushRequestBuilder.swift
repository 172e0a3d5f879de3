import Cryptography
import Foundation
import HTTPClient

/// Makes the requests by which messages go to push services (RFC 8030).
public struct PushRequestBuilder: Sendable {
    private let signer: VAPIDSigner
    private let random: RandomBytes
    private let timeout: Duration

    /// - Parameter timeout: of each request, from the first step to the end of the answer.
    public init(
        signer: VAPIDSigner, random: RandomBytes = .system, timeout: Duration = .seconds(10)
    ) {
        self.signer = signer
        self.random = random
        self.timeout = timeout
    }

    /// The request for one try. Each try has its own key and salt.
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
        if let topic = message.topic { headers.append(("Topic", topic.text)) }
        var request = OutgoingRequest(
            url: subscription.endpoint, headers: headers, body: body, timeout: timeout,
            // A notification with a `tag` takes the place of its repeat, and a new TLS connection
            // for each message would cost more than the message.
            isRepeatable: true
        )
        // Only the head of the answer counts.
        request.responseLimit = 64 * 1024
        return request
    }
}

/// Says why no request was made.
public enum PushRequestError: Error, Equatable, Sendable {
    /// The payload has more than `PushEncryption.payloadLimit` bytes.
    case payloadTooLarge
    /// libcrypto or the source of randomness failed.
    case encryptionFailed
    case signingFailed
}
