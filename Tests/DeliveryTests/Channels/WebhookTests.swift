import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing

@testable import Delivery

/// Webhooks follow the Standard Webhooks specification, https://www.standardwebhooks.com.
@Suite struct WebhookTests {
    @Test func signatureMatchesThePublishedExample() throws {
        let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookChannel.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330",
            body: Data(#"{"test": 2432232314}"#.utf8), secret: secret)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(arguments: [
        (200, DeliveryResult.accepted(providerID: nil)), (204, .accepted(providerID: nil)),
        (299, .accepted(providerID: nil)), (300, .refused(.http(300))), (301, .refused(.http(301))),
        (400, .refused(.http(400))), (401, .failed(.http(401))), (403, .failed(.http(403))),
        (404, .gone(.http(404))), (405, .refused(.http(405))), (408, .failed(.http(408))),
        (410, .gone(.http(410))), (422, .refused(.http(422))), (425, .failed(.http(425))),
        (429, .failed(.http(429))), (499, .refused(.http(499))), (500, .failed(.http(500))),
        (503, .failed(.http(503))), (599, .failed(.http(599))), (100, .failed(.http(100))),
        (0, .failed(.http(0))),
    ])
    func webhookStatusDecidesTheResult(status: Int, result: DeliveryResult) {
        #expect(WebhookChannel.result(of: status) == result)
    }

    private func channel(
        allowsPrivate: Bool = true, key: ServerKey? = nil,
        followKey: @escaping @Sendable () async throws -> Void = {}
    ) throws -> WebhookChannel {
        WebhookChannel(
            client: HTTPClient(allowsPrivateAddresses: allowsPrivate),
            key: try key ?? serverKey(),
            publicURL: try #require(URL(string: "https://life.example.org")),
            now: { noon.adding(.milliseconds(999)) }, followKey: followKey)
    }

    @Test func webhookRequestIsSigned() async throws {
        let listener = try await Listener(answer: Listener.http("204 No Content"))
        let delivery = try delivery(url: try listener.url().absoluteString)
        #expect(try await channel().send(delivery) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /hook HTTP/1.1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["webhook-id"] == "\(delivery.record.id)")
        #expect(request.headers["webhook-timestamp"] == "1772366400")
        let secret = try serverKey().webhookSecret(
            user: delivery.record.userID.uuid, endpoint: (id(9) as PushEndpointID).uuid)
        let signed = "\(delivery.record.id).1772366400.\(request.body)"
        #expect(
            request.headers["webhook-signature"] == "v1,"
                + Digest.hmacSHA256(Data(signed.utf8), key: secret).base64EncodedString())
        let item = try WireJSON.decoder().decode(
            NotificationItem.self, from: Data(request.body.utf8))
        #expect(item == delivery.record.notification)
        try await listener.close()
    }

    @Test func receiverMayHaveTheSecretOfAFormerKey() async throws {
        let old = try serverKey()
        let new = try #require(old.followed(by: Data(repeating: 8, count: 32)))
        let listener = try await Listener(answer: Listener.http("204 No Content"))
        let delivery = try delivery(url: try listener.url().absoluteString)
        #expect(try await channel(key: new).send(delivery) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        let endpoint = (id(9) as PushEndpointID).uuid
        let signatures = [new, old].map { key in
            WebhookChannel.signature(
                id: "\(delivery.record.id)", timestamp: "1772366400",
                body: Data(request.body.utf8),
                secret: key.webhookSecret(user: delivery.record.userID.uuid, endpoint: endpoint))
        }
        #expect(request.headers["webhook-signature"] == signatures.joined(separator: " "))
        try await listener.close()
    }

    @Test func unreadableTokenIsTriedAgainOnlyWithoutTheNewKey() async throws {
        let key = try serverKey()
        var delivery = try delivery()
        delivery.webhook = WebhookForm(
            template: .matrix, chat: "!a:example.org", sealedToken: Data(repeating: 1, count: 40))
        #expect(try await channel(key: key).send(delivery) == .refused(.unreadableKeys))
        key.setBehind(true)
        #expect(try await channel(key: key).send(delivery) == .failed(.other))
    }

    /// Another server has rotated the key a moment ago.
    @Test func tokenOfTheNextKeyIsReadAfterFollowingIt() async throws {
        let key = try serverKey()
        let next = try #require(key.followed(by: Data(repeating: 8, count: 32)))
        let listener = try await Listener(answer: Listener.http("200 OK"))
        var delivery = try delivery(url: try listener.url().absoluteString)
        let endpoint = try #require(delivery.record.pushEndpointID)
        delivery.webhook = WebhookForm(
            template: .ntfy,
            sealedToken: next.seal(
                webhookToken: "tk_1", user: delivery.record.userID.uuid, endpoint: endpoint.uuid,
                random: .system))
        let unreachable = try channel(key: key, followKey: { throw Unexpected() })
        #expect(await unreachable.send(delivery) == .failed(.other))
        _ = try await channel(key: key, followKey: { key.adopt(next, inPlaceOf: key) })
            .send(delivery)
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.headers["authorization"] == "Bearer tk_1")
        try await listener.close()
    }

    @Test func retriesKeepTheWebhookID() async throws {
        let listener = try await Listener(answer: Listener.http("500 Oops"))
        var delivery = try delivery(url: try listener.url().absoluteString)
        for attempt in 1...3 {
            delivery.record.attempts = attempt
            #expect(try await channel().send(delivery) == .failed(.http(500)))
        }
        #expect(
            Set(
                listener.requests.compactMap(ReceivedRequest.init).compactMap {
                    $0.headers["webhook-id"]
                }
            ).count == 1)
        #expect(listener.requests.count == 3)
        try await listener.close()
    }

    /// The response never ends. Only the size limit stops the reading.
    @Test(arguments: [
        ("200 OK", DeliveryResult.accepted(providerID: nil)), ("500 Oops", .failed(.http(500))),
    ])
    func endlessResponseIsJudgedByItsStatus(status: String, result: DeliveryResult) async throws {
        let listener = try await Listener(
            answer: "HTTP/1.1 \(status)\r\n\r\n" + String(repeating: "x", count: 1_000_000))
        let delivery = try delivery(url: try listener.url().absoluteString)
        #expect(try await channel().send(delivery) == result)
        try await listener.close()
    }

    @Test func webhookRefusesPrivateAddresses() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        #expect(
            try await channel(allowsPrivate: false).send(
                try delivery(url: try listener.url("localhost").absoluteString))
                == .refused(.privateAddress))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func webhookRefusesARemovedEndpoint() async throws {
        #expect(try await channel().send(try delivery(url: nil)) == .refused(.endpointRemoved))
        #expect(try await channel().send(try delivery(device: nil)) == .refused(.endpointRemoved))
    }

    @Test func unreachableWebhookIsRetried() async throws {
        let listener = try await Listener(answer: nil)
        let delivery = try delivery(url: try listener.url().absoluteString)
        try await listener.close()
        guard case .failed = try await channel().send(delivery) else { throw Unexpected() }
    }

    @Test func retryAfterMayBeADate() async throws {
        let answer =
            "HTTP/1.1 429 Slow\r\nDate: Fri, 15 Jan 2027 08:00:00 GMT\r\n"
            + "Retry-After: Fri, 15 Jan 2027 08:02:00 GMT\r\nContent-Length: 0\r\n\r\n"
        let listener = try await Listener(answer: answer)
        let delivery = try delivery(url: try listener.url().absoluteString)
        let result = try await channel().send(delivery)
        #expect(result == .failed(.http(429), after: .seconds(120)))
        try await listener.close()
    }

    @Test(arguments: [("30", 30), ("0", 0), ("-5", 0), ("soon", 0), ("999999999", 86_400)])
    func retryAfterInSecondsIsReturned(header: String, seconds: Int) async throws {
        let answer = "HTTP/1.1 429 Slow\r\nRetry-After: \(header)\r\nContent-Length: 0\r\n\r\n"
        let listener = try await Listener(answer: answer)
        let delivery = try delivery(url: try listener.url().absoluteString)
        let result = try await channel().send(delivery)
        #expect(result == .failed(.http(429), after: .seconds(seconds)))
        try await listener.close()
    }
}
