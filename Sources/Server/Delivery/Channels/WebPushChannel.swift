import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import Synchronization
import WebPush

public final class WebPushChannel: Channel {
    public let kind = DeliveryChannel.webPush
    private let client: HTTPClient
    private let proxied: HTTPClient?
    private let key: ServerKey
    private let sender: Sender
    private let health: BrowserPushHealth
    private let gate: PushServiceGate
    private let now: @Sendable () -> Date

    /// This server's identity at push services (VAPID).
    public struct Sender: Sendable {
        /// Returns the private key; nil while the server starts.
        public var privateKey: @Sendable () -> P256.PrivateKey?
        public var contact: VAPIDContact
        /// Whether plain HTTP is allowed, for tests.
        public var allowsPlainHTTP: Bool

        public init(
            contact: VAPIDContact, allowsPlainHTTP: Bool = false,
            privateKey: @escaping @Sendable () -> P256.PrivateKey?
        ) {
            self.contact = contact
            self.allowsPlainHTTP = allowsPlainHTTP
            self.privateKey = privateKey
        }
    }

    private struct Builder {
        var publicKey: Data
        var requests: PushRequestBuilder
    }

    private let builder = Mutex<Builder?>(nil)

    /// - Parameters:
    ///   - proxied: reaches the large browsers' push services through a proxy; nil to use `client`.
    ///     Other services are always reached by `client`, which checks their addresses. A proxy
    ///     would connect to private ones.
    ///   - limit: the maximum number of concurrent attempts.
    public init(
        client: HTTPClient, proxied: HTTPClient? = nil, key: ServerKey, sender: Sender,
        health: BrowserPushHealth, limit: Int, now: @escaping @Sendable () -> Date
    ) {
        self.client = client
        self.proxied = proxied
        self.key = key
        self.sender = sender
        self.health = health
        self.now = now
        gate = PushServiceGate(share: max(1, limit / 4), now: now)
    }

    public func send(_ delivery: LeasedDelivery) async -> DeliveryResult {
        guard let url = delivery.url, let keys = delivery.keys else {
            return .refused(.endpointRemoved)
        }
        guard let builder = currentBuilder() else { return .failed(.other) }
        // A push service accepts only messages signed with the key of the browser's subscription.
        // The browser subscribes with a new key when LifeSignal next opens there.
        guard keys.serverKey == builder.publicKey else { return .refused(.keyChanged) }
        guard
            let subscription = try? PushSubscription(
                endpoint: url.absoluteString, p256dh: Base64URL.encode(keys.p256dh),
                auth: Base64URL.encode(keys.auth), allowsPlainHTTP: sender.allowsPlainHTTP)
        else { return .ended(.unreadableKeys) }
        guard await gate.enter(subscription.origin) else {
            return .failed(.serviceFailing, after: .seconds(1))
        }
        var isAnswered = true
        defer { gate.leave(subscription.origin, isAnswered: isAnswered) }
        do {
            let message = try PushPayload.message(for: delivery, key: key, at: now())
            let request = try builder.requests.request(for: message, to: subscription)
            let client = health.includes(url.host) ? proxied ?? self.client : self.client
            let response = try await client.send(request)
            isAnswered = response.status < 500
            let answer = PushAnswer(
                status: response.status, headers: response.headers, now: now())
            let result = Self.result(
                of: answer, status: response.status, attempt: delivery.record.attempts)
            health.note(result, from: url.host, to: delivery.record.userID)
            return result
        } catch HTTPClientError.privateAddress {
            return .refused(.privateAddress)
        } catch let error as HTTPClientError {
            isAnswered = false
            let result = DeliveryResult.failed(DeliveryReason(error))
            health.note(result, from: url.host, to: delivery.record.userID)
            return result
        } catch {
            return .refused(.other)
        }
    }

    /// A rejected token becomes the message's failure at this attempt, about four minutes after the
    /// first. Until then the clock of this machine may be wrong, and its correction may come.
    static let lastAttemptWithRejectedToken = 8

    static func result(of answer: PushAnswer, status: Int, attempt: Int) -> DeliveryResult {
        switch answer {
        case .refused(let refusal)
        where refusal.isAboutToken && attempt < lastAttemptWithRejectedToken:
            .failed(.credentials(status))
        case .accepted: .accepted(providerID: nil)
        case .gone: .ended(.http(status))
        case .tooLarge, .refused: .refused(.http(status))
        case .later(let pause): .failed(.http(status), after: pause)
        }
    }

    private func currentBuilder() -> Builder? {
        guard let privateKey = sender.privateKey() else { return nil }
        let publicKey = privateKey.publicKey.bytes
        return builder.withLock { builder in
            if let builder, builder.publicKey == publicKey { return builder }
            guard let key = VAPIDKey(storedForm: privateKey.bytes) else { return nil }
            let signer = VAPIDSigner(key: key, contact: sender.contact, now: now)
            let new = Builder(
                publicKey: publicKey,
                requests: PushRequestBuilder(signer: signer, userAgent: PushEndpoint.userAgent))
            builder = new
            return new
        }
    }
}
