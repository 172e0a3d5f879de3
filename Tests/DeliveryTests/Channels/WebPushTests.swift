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

    private func channel(
        limit: Int = 100, allowsPrivate: Bool = true, proxy: String? = nil,
        health: BrowserPushHealth = BrowserPushHealth(now: { noon })
    ) throws -> WebPushChannel {
        let contact = try #require(VAPIDContact("mailto:push@example.com"))
        return WebPushChannel(
            client: HTTPClient(allowsPrivateAddresses: allowsPrivate),
            proxied: proxy.map { HTTPClient(allowsPrivateAddresses: true, proxy: $0) },
            key: try serverKey(),
            sender: .init(contact: contact, allowsPlainHTTP: true) { [privateKey] in privateKey },
            health: health, limit: limit, now: { noon })
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

    @Test func webPushMessageHasUrgencyTopicAndTTL() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let sent = try delivery(to: try listener.url())
        #expect(try await channel().send(sent) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /hook HTTP/1.1")
        #expect(request.headers["urgency"] == "high")
        #expect(request.headers["ttl"] == "86400")
        #expect(request.headers["topic"]?.utf8.count == 22)
        #expect(request.headers["content-encoding"] == "aes128gcm")
        // A source refuses it.
        #expect(request.headers["user-agent"] == "LifeSignal")
        try await listener.close()
    }

    /// ntfy is the push server of most UnifiedPush apps. It answers 200 with its message, and cuts
    /// a body after 4,096 bytes.
    @Test func unifiedPushAppAtNtfyGetsTheMessage() async throws {
        let body = #"{"id":"m1","event":"message","topic":"upAbc"}"#
        let listener = try await Listener(
            answer: "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let url = try listener.url("127.0.0.1", "/upAbc?up=1")
        #expect(try await channel().send(try delivery(to: url)) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /upAbc?up=1 HTTP/1.1")
        let length = try #require(request.headers["content-length"].flatMap { Int($0) })
        #expect(length <= 4_096)
        // ntfy checks only "Basic" and "Bearer".
        #expect(request.headers["authorization"]?.hasPrefix("vapid ") == true)
        try await listener.close()
    }

    @Test(arguments: [
        (200, DeliveryResult.accepted(providerID: nil)), (201, .accepted(providerID: nil)),
        (404, .ended(.http(404))), (410, .ended(.http(410))), (413, .refused(.http(413))),
        (400, .refused(.http(400))), (401, .failed(.credentials(401))),
        (403, .failed(.credentials(403))),
        (429, .failed(.http(429), after: .seconds(7))), (500, .failed(.http(500))),
        (503, .failed(.http(503))), (302, .refused(.http(302))),
    ])
    func pushAnswerDecidesTheResult(status: Int, result: DeliveryResult) {
        let headers = status == 429 ? ["retry-after": "7"] : [:]
        let answer = PushAnswer(status: status, headers: headers, now: noon)
        #expect(WebPushChannel.result(of: answer, status: status, attempt: 1) == result)
    }

    /// The token of a server whose clock is wrong is rejected until the clock has been corrected.
    @Test(arguments: [401, 403])
    func rejectedTokenIsRetriedForSomeMinutes(status: Int) {
        func result(attempt: Int) -> DeliveryResult {
            WebPushChannel.result(
                of: PushAnswer(status: status, now: noon), status: status, attempt: attempt)
        }
        #expect(result(attempt: 7) == .failed(.credentials(status)))
        #expect(result(attempt: 8) == .refused(.http(status)))
    }

    @Test func subscriptionForAnotherKeyIsRefusedButKept() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let other = try #require(P256.PrivateKey(random: .system))
        let sent = try delivery(to: try listener.url(), by: other)
        #expect(try await channel().send(sent) == .refused(.keyChanged))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func webPushRefusesPrivateAddresses() async throws {
        let listener = try await Listener(answer: Listener.http("201 Created"))
        let sent = try delivery(to: try listener.url("localhost"))
        let result = try await channel(allowsPrivate: false).send(sent)
        #expect(result == .refused(.privateAddress))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func webPushRefusesARemovedEndpoint() async throws {
        let result = try await channel().send(try delivery(to: nil))
        #expect(result == .refused(.endpointRemoved))
    }

    /// web-push.md gives the number.
    @Test(arguments: [500, 503]) func serviceIsOnlyProbedAfter16Failures(_ status: Int) async throws
    {
        let listener = try await Listener(answer: Listener.http("\(status) Busy"))
        let (channel, sent) = (try channel(), try delivery(to: try listener.url()))
        for _ in 0..<16 {
            #expect(await channel.send(sent) == .failed(.http(status)))
        }
        // The service counts as down. One message may probe it; the next must wait.
        #expect(await channel.send(sent) == .failed(.http(status)))
        #expect(await channel.send(sent) == .failed(.serviceFailing, after: .seconds(1)))
        #expect(listener.requests.count == 17)
        try await listener.close()
    }

    /// The listener stands in for browsers' services as their proxy.
    @Test(arguments: [
        ("fcm.googleapis.com", "503 Busy", 3, true), ("fcm.googleapis.com", "503 Busy", 2, false),
        ("fcm.googleapis.com", "403 Forbidden", 3, true),
        ("fcm.googleapis.com", "410 Gone", 3, false),
        ("updates.push.services.mozilla.com", "500 Error", 3, true),
        ("127.0.0.1", "503 Busy", 3, false),
    ])
    func serviceOfABrowserThatFailsForThreePeopleIsInTrouble(
        host: String, status: String, people: Int, isInTrouble: Bool
    ) async throws {
        let clock = TestClock()
        let health = BrowserPushHealth(now: { clock.now() })
        let listener = try await Listener(answer: Listener.http(status))
        let channel = try channel(
            proxy: try listener.url("127.0.0.1", "").absoluteString, health: health)
        var sent = try delivery(to: try listener.url(host))
        for _ in 1...2 {
            for number in 1...UInt8(people) {
                sent.record.userID = id(number)
                _ = await channel.send(sent)
            }
            clock.advance(by: .minutes(1))
        }
        #expect(listener.requests.count == 2 * people)
        #expect(health.services.contains(where: \.isFailing) == isInTrouble)
        health.note(.accepted(providerID: nil), from: host, to: id(9))
        #expect(health.services.compactMap(\.warning) == [])
        try await listener.close()
    }

    @Test func onlyBrowsersServicesAreReachedThroughTheProxy() async throws {
        let proxy = try await Listener(answer: Listener.http("201 Created"))
        let service = try await Listener(answer: Listener.http("201 Created"))
        let channel = try channel(proxy: try proxy.url("127.0.0.1", "").absoluteString)
        let browsers = try delivery(to: URL(string: "http://FCM.googleapis.com/a"))
        #expect(await channel.send(browsers) == .accepted(providerID: nil))
        let request = try #require(proxy.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line.lowercased() == "post http://fcm.googleapis.com/a http/1.1")
        #expect(service.connections == 0)
        #expect(
            await channel.send(try delivery(to: try service.url())) == .accepted(providerID: nil))
        #expect(proxy.requests.count == 1 && service.requests.count == 1)
        try await proxy.close()
        try await service.close()
    }

    /// The proxy would connect to the address.
    @Test func proxyDoesntOpenPrivateAddresses() async throws {
        let proxy = try await Listener(answer: Listener.http("201 Created"))
        let channel = try channel(
            allowsPrivate: false, proxy: try proxy.url("127.0.0.1", "").absoluteString)
        let sent = try delivery(to: try proxy.url())
        #expect(await channel.send(sent) == .refused(.privateAddress))
        #expect(proxy.connections == 0)
        try await proxy.close()
    }

    @Test(arguments: [
        ("fcm.googleapis.com", true), ("FCM.googleapis.com", true),
        ("updates.push.services.mozilla.com", true), ("web.push.apple.com", true),
        ("wns2-par02p.notify.windows.com", true), ("notfcm.googleapis.com", false),
        ("fcm.googleapis.com.example.org", false), ("ntfy.example.org", false),
    ])
    func serviceIsABrowsersByTheEndOfItsHost(host: String, isBrowsers: Bool) {
        #expect(BrowserPushHealth(now: { noon }).includes(host) == isBrowsers)
    }

    /// Such an answer is about one browser, not the service.
    @Test func serviceThatRefusesStaysUp() async throws {
        let listener = try await Listener(answer: Listener.http("499 Closed"))
        let (channel, sent) = (try channel(), try delivery(to: try listener.url()))
        for _ in 0..<18 {
            #expect(await channel.send(sent) == .refused(.http(499)))
        }
        #expect(listener.requests.count == 18)
        try await listener.close()
    }
}
