import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing

@testable import Delivery

/// Webhooks in the form of other services.
@Suite struct WebhookMessageTests {
    private static let confirmed =
        #"{"id":"m1","event":"message","event_id":"$1","ok":true,"result":{}}"#

    /// A delivery about Ben's alert to the user 1.
    private func delivery(
        _ template: WebhookTemplate, chat: String? = nil, token: String? = nil, url: String,
        purpose: DeliveryPurpose = .alertBegin, title: String = "Ben needs help"
    ) throws -> LeasedDelivery {
        var delivery = try DeliveryTests.delivery(url: url, title: title)
        delivery.purpose = purpose
        delivery.alertOwner = id(2)
        delivery.webhook = WebhookForm(
            template: template, chat: chat,
            sealedToken: try token.map { try sealed($0, for: delivery) })
        return delivery
    }

    private func sealed(_ token: String, for delivery: LeasedDelivery) throws -> Data {
        let endpoint = try #require(delivery.record.pushEndpointID)
        let sealed = try serverKey().seal(
            webhookToken: token, user: delivery.record.userID.uuid, endpoint: endpoint.uuid,
            random: .system)
        return try #require(sealed)
    }

    private func channel() throws -> WebhookChannel {
        WebhookChannel(
            client: HTTPClient(allowsPrivateAddresses: true), key: try serverKey(),
            publicURL: try #require(URL(string: "https://life.example.org")), now: { noon })
    }

    /// Sends to a listener that confirms. Returns what it has received.
    private func received(
        _ template: WebhookTemplate, path: String = "", chat: String? = nil, token: String? = nil,
        purpose: DeliveryPurpose = .alertBegin, title: String = "Ben needs help"
    ) async throws -> (request: ReceivedRequest, json: [String: Any]) {
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Length: \(Self.confirmed.utf8.count)\r\n\r\n"
            + Self.confirmed
        let listener = try await Listener(answer: answer)
        let origin = try originOf(try listener.url())
        let delivery = try delivery(
            template, chat: chat, token: token, url: origin + path, purpose: purpose, title: title)
        #expect(try await channel().send(delivery) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        try await listener.close()
        let json = try JSONSerialization.jsonObject(with: Data(request.body.utf8))
        return (request, try #require(json as? [String: Any]))
    }

    private func originOf(_ url: URL) throws -> String {
        "http://\(try #require(url.host)):\(try #require(url.port))"
    }

    @Test func ntfyGetsJSONAtItsRoot() async throws {
        let (request, json) = try await received(.ntfy, path: "/topic", token: "tk_1")
        #expect(request.line == "POST / HTTP/1.1")
        #expect(request.headers["authorization"] == "Bearer tk_1")
        #expect(request.headers["webhook-signature"] == nil)
        #expect(json["topic"] as? String == "topic")
        #expect(json["title"] as? String == "Ben needs help")
        #expect(json["message"] as? String == "Ben raised an alert at 12:00 UTC.")
        #expect(json["priority"] as? Int == 5)
        let page = "https://life.example.org/alerts/\(id(7) as AlertID)"
        #expect(json["click"] as? String == page)
        let action = try #require((json["actions"] as? [[String: String]])?.first)
        #expect(action["action"] == "view" && action["url"] == page)
        #expect(action["label"] == "Open to say “I’m on it”")
    }

    @Test(
        arguments: [
            (DeliveryPurpose.alertBegin, 5), (.alertRepeat, 5), (.alertUntaken, 5), (.alertNews, 4),
            (.alertEnd, 4), (.drill, 4), (.lastCall, 4), (.journey, 4), (.ping, 4), (.reminder, 3),
            (.test, 3), (.other, 3),
        ] as [(DeliveryPurpose, Int)])
    func onlyAlarmsHaveTheHighestPriority(purpose: DeliveryPurpose, priority: Int) async throws {
        let (request, json) = try await received(.ntfy, path: "/topic", purpose: purpose)
        #expect(json["priority"] as? Int == priority)
        #expect(request.headers["authorization"] == nil)
        let canAnswer = [.alertBegin, .alertRepeat, .alertUntaken, .alertNews].contains(purpose)
        #expect((json["actions"] as? [Any])?.isEmpty == !canAnswer)
    }

    @Test func matrixGetsATransactionOfTheDelivery() async throws {
        let (request, json) = try await received(
            .matrix, chat: "!a/b:example.org", token: "syt_1")
        let path =
            "/_matrix/client/v3/rooms/%21a%2Fb%3Aexample.org/send/m.room.message/"
            + "\(id(5) as DeliveryID)"
        #expect(request.line == "PUT \(path) HTTP/1.1")
        #expect(request.headers["authorization"] == "Bearer syt_1")
        #expect(json["msgtype"] as? String == "m.text")
        #expect((json["body"] as? String)?.hasPrefix("Ben needs help\nBen raised") == true)
        #expect((json["m.mentions"] as? [String: Any])?.isEmpty == true)
    }

    @Test func telegramGetsPlainTextWithoutAPreview() async throws {
        let token = "123456:" + String(repeating: "a", count: 35)
        let (request, json) = try await received(.telegram, chat: "-100", token: token)
        #expect(request.line == "POST /bot\(token)/sendMessage HTTP/1.1")
        #expect(json["chat_id"] as? String == "-100" && json["parse_mode"] == nil)
        let preview = json["link_preview_options"] as? [String: Any]
        #expect(preview?["is_disabled"] as? Bool == true)
        #expect((json["text"] as? String)?.contains("12:00 UTC.\nhttps://life.example") == true)
    }

    @Test func nameCantCallAWholeChannel() async throws {
        let (request, json) = try await received(
            .text, path: "/hook?key=1", title: "<!channel> & @channel needs help")
        #expect(request.line == "POST /hook?key=1 HTTP/1.1")
        let text = try #require(json["text"] as? String)
        #expect(text.hasPrefix("&lt;!channel&gt; &amp; @\u{200B}channel needs help\n"))
    }

    /// Older servers have stored such names.
    @Test func nameCantLoadAPicture() async throws {
        let (_, json) = try await received(
            .text, path: "/hook", title: "![x](https://evil.example/p.png) needs help")
        let text = try #require(json["text"] as? String)
        #expect(text.hasPrefix("![x]\u{200B}(https://evil.example/p.png) needs help\n"))
    }

    /// Everyone at a topic or in a chat reads the message.
    @Test(arguments: WebhookTemplate.allCases.filter { $0 != .lifesignal })
    func messageHasNoSecretLink(template: WebhookTemplate) async throws {
        let token = template.usesToken ? "123456:" + String(repeating: "a", count: 35) : nil
        let (request, _) = try await received(
            template, path: template == .ntfy ? "/topic" : "",
            chat: template.needsChat ? "!1" : nil, token: token)
        let links = request.body.matches(of: /https:\/\/life[^"\\]*/).map { String($0.output) }
        #expect(!links.isEmpty)
        #expect(
            Set(links) == ["https://life.example.org/alerts/\(id(7) as AlertID)"])
    }

    @Test(
        arguments: [
            (WebhookTemplate.ntfy, 200, #"{"id":"m1"}"#, DeliveryResult.accepted(providerID: nil)),
            (.matrix, 200, #"{"event_id":"$1"}"#, .accepted(providerID: nil)),
            (.telegram, 200, #"{"ok":true}"#, .accepted(providerID: nil)),
            (.text, 200, "ok", .accepted(providerID: nil)),
            (.ntfy, 200, "<html>", .failed(.unconfirmed)),
            (.matrix, 200, "{}", .failed(.unconfirmed)),
            (.telegram, 200, #"{"ok":false}"#, .failed(.unconfirmed)),
            (.ntfy, 401, "{}", .gone(.http(401))), (.ntfy, 403, "{}", .gone(.http(403))),
            (.matrix, 404, "{}", .gone(.http(404))), (.text, 410, "", .gone(.http(410))),
            (.telegram, 400, "{}", .gone(.http(400))), (.ntfy, 400, "{}", .refused(.http(400))),
            (.text, 302, "", .refused(.http(302))), (.ntfy, 413, "", .refused(.http(413))),
            (.matrix, 429, #"{"retry_after_ms":1500}"#, .failed(.http(429), after: .seconds(1.5))),
            (
                .telegram, 429, #"{"parameters":{"retry_after":34}}"#,
                .failed(.http(429), after: .seconds(34))
            ),
            (.matrix, 429, #"{"retry_after_ms":-1}"#, .failed(.http(429))),
            (
                .telegram, 429, #"{"parameters":{"retry_after":1e300}}"#,
                .failed(.http(429), after: .seconds(86_400))
            ),
            (.ntfy, 507, "{}", .failed(.http(507))),
        ] as [(WebhookTemplate, Int, String, DeliveryResult)])
    func answerDecidesTheResult(
        template: WebhookTemplate, status: Int, body: String, result: DeliveryResult
    ) {
        let answer = WebhookAnswer(template: template, status: status, body: Data(body.utf8))
        #expect(answer.result == result)
    }

    @Test func longerOfTwoPausesCounts() {
        func result(_ retryAfter: Duration) -> DeliveryResult {
            WebhookAnswer(
                template: .matrix, status: 429, body: Data(#"{"retry_after_ms":2000}"#.utf8),
                retryAfter: retryAfter
            ).result
        }
        #expect(result(.seconds(1)) == .failed(.http(429), after: .seconds(2)))
        #expect(result(.seconds(3)) == .failed(.http(429), after: .seconds(3)))
    }

    @Test func tokenOfAnotherEndpointIsNotSent() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        var delivery = try delivery(
            .ntfy, token: "tk_1", url: try originOf(try listener.url()) + "/topic")
        delivery.record.pushEndpointID = id(8)
        #expect(try await channel().send(delivery) == .refused(.unreadableKeys))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func templateOfANewerServerIsLeftToIt() async throws {
        let delivery = try delivery(.unknown, url: "https://example.org")
        #expect(try await channel().send(delivery) == .failed(.other))
    }
}
