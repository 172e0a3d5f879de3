import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing
import WebPush

@testable import Delivery

@Suite struct WebPushChannelTests {
    private let privateKey: P256.PrivateKey
    private let browser: P256.PrivateKey

    init() throws {
        privateKey = try #require(P256.PrivateKey(random: .system))
        browser = try #require(P256.PrivateKey(random: .system))
    }

    private func channel(limit: Int = 100, allowsPrivate: Bool = true) throws -> WebPushChannel {
        let contact = try #require(VAPIDContact("mailto:push@example.com"))
        return WebPushChannel(
            client: HTTPClient(allowsPrivateAddresses: allowsPrivate), key: try serverKey(),
            sender: .init(contact: contact, allowsPlainHTTP: true) { [privateKey] in privateKey },
            limit: limit, now: { noon })
    }

    private func delivery(
        to url: URL?, by key: P256.PrivateKey? = nil
    ) throws -> LeasedDelivery {
        var delivery = try DeliveryTests.delivery(.webPush, url: url?.absoluteString)
        delivery.keys = PushSubscriptionKeys(
            p256dh: browser.publicKey.bytes, auth: Data(0..<16),
            serverKey: (key ?? privateKey).publicKey.bytes)
        return delivery
    }

    @Test func aMessageNamesItsUrgencyItsTopicAndItsTime() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let sent = try delivery(to: try listener.url())
        #expect(try await channel().send(sent) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /hook HTTP/1.1")
        #expect(request.headers["urgency"] == "high")
        #expect(request.headers["ttl"] == "86400")
        #expect(request.headers["topic"]?.utf8.count == 22)
        #expect(request.headers["content-encoding"] == "aes128gcm")
        try await listener.close()
    }

    @Test(arguments: [
        (200, DeliveryResult.accepted(providerID: nil)), (201, .accepted(providerID: nil)),
        (404, .ended(.http(404))), (410, .ended(.http(410))), (413, .refused(.http(413))),
        (400, .refused(.http(400))), (401, .refused(.http(401))), (403, .refused(.http(403))),
        (429, .failed(.http(429), after: .seconds(7))), (500, .failed(.http(500))),
        (503, .failed(.http(503))), (302, .refused(.http(302))),
    ])
    func theAnswerDecides(status: Int, result: DeliveryResult) {
        let headers = status == 429 ? ["retry-after": "7"] : [:]
        let answer = PushAnswer(status: status, headers: headers, now: noon)
        #expect(WebPushChannel.result(of: answer, status: status) == result)
    }

    @Test func aSubscriptionForAnotherKeyHasEnded() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let other = try #require(P256.PrivateKey(random: .system))
        let sent = try delivery(to: try listener.url(), by: other)
        #expect(try await channel().send(sent) == .ended(.keyChanged))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func aPrivateAddressIsAFinalNo() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let sent = try delivery(to: try listener.url("localhost"))
        let result = try await channel(allowsPrivate: false).send(sent)
        #expect(result == .refused(.privateAddress))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func anEndpointThatWasRemovedGetsNothing() async throws {
        let result = try await channel().send(try delivery(to: nil))
        #expect(result == .refused(.endpointRemoved))
    }

    @Test func aServiceThatFailsIsAskedNowAndThenOnly() async throws {
        let listener = try await Listener(answer: Listener.http("503 Busy"))
        let (channel, sent) = (try channel(), try delivery(to: try listener.url()))
        for _ in 0..<PushServiceGate.failureLimit {
            #expect(await channel.send(sent) == .failed(.http(503)))
        }
        // One finds out whether it is back, and the rest wait.
        #expect(await channel.send(sent) == .failed(.http(503)))
        #expect(await channel.send(sent) == .failed(.serviceFailing, after: .seconds(1)))
        #expect(listener.requests.count == PushServiceGate.failureLimit + 1)
        try await listener.close()
    }
}

@Suite struct PushServiceGateTests {
    private let clock = TestClock()
    private func gate() -> PushServiceGate {
        PushServiceGate(share: 3, now: { [clock] in clock.now() })
    }

    @Test func aServiceHasItsShareAlone() {
        let gate = gate()
        #expect((0..<5).map { _ in gate.enter("a") } == [true, true, true, false, false])
        #expect(gate.enter("b"))
        gate.leave("a", isAnswered: true)
        #expect(gate.enter("a"))
    }

    @Test func aServiceThatIsBackIsFreeAtOnce() {
        let gate = gate()
        func fail() -> Bool {
            defer { gate.leave("a", isAnswered: false) }
            return gate.enter("a")
        }
        for _ in 0..<PushServiceGate.failureLimit { #expect(fail()) }
        #expect(fail())
        #expect(!gate.enter("a"))
        clock.advance(by: PushServiceGate.pauseBetweenProbes)
        #expect(gate.enter("a"))
        #expect(!gate.enter("a"))
        gate.leave("a", isAnswered: true)
        #expect((0..<3).allSatisfy { _ in gate.enter("a") })
    }

    @Test func noAnswerToOneSubscriptionCountsAgainstItsService() {
        let gate = gate()
        for _ in 0..<100 {
            #expect(gate.enter("a"))
            gate.leave("a", isAnswered: true)
        }
    }
}

@Suite struct PushPayloadTests {
    private func payload(
        _ purpose: DeliveryPurpose, owner: UserID? = nil
    ) throws -> PushPayload {
        var delivery = try DeliveryTests.delivery(.webPush)
        delivery.purpose = purpose
        delivery.alertOwner = owner
        return PushPayload(delivery, key: try serverKey())
    }

    @Test func theButtonsFitTheRecipient() throws {
        #expect(try payload(.alertBegin, owner: id(2)).actions == [.acknowledgeAlert])
        #expect(try payload(.alertNews, owner: id(2)).actions == [.acknowledgeAlert])
        #expect(try payload(.alertEnd, owner: id(2)).actions == [])
        #expect(try payload(.alertNews, owner: id(1)).actions == [])
        #expect(try payload(.reminder).actions == [.checkIn])
        #expect(try payload(.ping).actions == [.respondToPing])
        #expect(try payload(.other).actions == [])
    }

    @Test func theReceiptNamesTheDelivery() throws {
        let key = try serverKey()
        let token = try #require(ReceiptToken(try payload(.other).receipt, key: key))
        #expect(token.person == (id(1) as UserID).uuid)
        #expect(token.delivery == (id(5) as DeliveryID).uuid)
        #expect(token.expiresAt == noon.adding(.hours(24 + 24)))
    }

    @Test func newerNewsOfOneAlertHasTheSameTopicForOnePersonOnly() throws {
        let key = try serverKey()
        var delivery = try DeliveryTests.delivery(.webPush)
        func topic() throws -> String? {
            try PushPayload.message(for: delivery, key: key, at: noon).topic?.text
        }
        let first = try #require(try topic())
        delivery.record.notification.title = "Ben ended the alert"
        delivery.record.id = id(6)
        #expect(try topic() == first)
        delivery.record.userID = id(2)
        #expect(try topic() != first)
        delivery.record.userID = id(1)
        delivery.record.notification.alertID = id(99)
        #expect(try topic() != first)
        delivery.record.notification.alertID = nil
        #expect(try topic() == nil)
    }
}
