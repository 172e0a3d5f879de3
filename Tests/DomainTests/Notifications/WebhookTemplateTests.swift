import Foundation
import Testing

@testable import Domain

@Suite struct WebhookTemplateTests {
    private static let botToken = "123456:" + String(repeating: "a", count: 35)

    private func webhook(
        _ template: WebhookTemplate, _ url: String, chat: String? = nil, token: String? = nil
    ) throws(CommandError) -> Webhook {
        try Webhook(
            url: url, template: template, chat: chat, token: token, allowsPlainHTTP: false)
    }

    private func refusedField(
        _ template: WebhookTemplate, _ url: String, chat: String? = nil, token: String? = nil
    ) -> String? {
        refusal { try webhook(template, url, chat: chat, token: token) }?.field
    }

    @Test(
        arguments: [
            ("https://ntfy.sh/lifesignal-1", nil), ("https://ntfy.example:8443/A_b-9", "tk_secret"),
        ] as [(String, String?)])
    func ntfyTakesATopicAndAToken(url: String, token: String?) throws {
        let webhook = try self.webhook(.ntfy, url, token: token)
        #expect(webhook.url.absoluteString == url && webhook.token == token)
        #expect(webhook.ntfyTopic == url.split(separator: "/").last.map { String($0) })
    }

    @Test(arguments: [
        "https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a/b", "https://ntfy.sh/a?up=1",
        "https://ntfy.sh/a#b", "https://ntfy.sh/a.b", "http://ntfy.sh/a",
    ])
    func addressWithoutATopicIsRefused(url: String) {
        #expect(refusedField(.ntfy, url) == "url")
    }

    @Test func topicHasAtMost64Characters() throws {
        let longest = "https://ntfy.sh/" + String(repeating: "a", count: 64)
        #expect(try webhook(.ntfy, longest).ntfyTopic?.count == 64)
        #expect(refusedField(.ntfy, longest + "a") == "url")
    }

    @Test func matrixNeedsServerRoomAndToken() throws {
        let url = "https://matrix.example.org"
        let webhook = try self.webhook(.matrix, url, chat: "!abc:example.org", token: "syt_x")
        #expect(webhook.chat == "!abc:example.org")
        #expect(try self.webhook(.matrix, url + "/", chat: "!abc", token: "x").chat == "!abc")
        #expect(refusedField(.matrix, url + "/_matrix", chat: "!a:b", token: "x") == "url")
        #expect(refusedField(.matrix, url + "?a=b", chat: "!a:b", token: "x") == "url")
        for chat in [nil, "", "!", "#room:example.org", "!a b", "!\u{E9}"] as [String?] {
            #expect(refusedField(.matrix, url, chat: chat, token: "x") == "chat")
        }
        let longest = "!" + String(repeating: "a", count: 254)
        #expect(try self.webhook(.matrix, url, chat: longest, token: "x").chat == longest)
        #expect(refusedField(.matrix, url, chat: longest + "a", token: "x") == "chat")
        #expect(refusedField(.matrix, url, chat: "!a:b") == "token")
    }

    @Test(arguments: ["", "a b", "a\nb", "a\r\nX: y", "\u{E9}"])
    func tokenThatCantBeAHeaderIsRefused(token: String) {
        let url = "https://matrix.example.org"
        #expect(refusedField(.matrix, url, chat: "!a:b", token: token) == "token")
        #expect(refusedField(.ntfy, "https://ntfy.sh/a", token: token) == "token")
    }

    @Test func tokenHasAtMost1000Characters() throws {
        let longest = String(repeating: "a", count: 1_000)
        #expect(try webhook(.ntfy, "https://ntfy.sh/a", token: longest).token == longest)
        #expect(refusedField(.ntfy, "https://ntfy.sh/a", token: longest + "a") == "token")
    }

    @Test func telegramNeedsChatAndBot() throws {
        let url = "https://api.telegram.org"
        for chat in ["1", "-1001234567890", "@lifesignal_alerts"] {
            #expect(try webhook(.telegram, url, chat: chat, token: Self.botToken).chat == chat)
        }
        for chat in [nil, "", "@abc", "abc", "--1", "1/2"] as [String?] {
            #expect(refusedField(.telegram, url, chat: chat, token: Self.botToken) == "chat")
        }
        for token in [nil, "123456", "123456:short", Self.botToken + "/x"] as [String?] {
            #expect(refusedField(.telegram, url, chat: "1", token: token) == "token")
        }
    }

    @Test(arguments: [WebhookTemplate.lifesignal, .text])
    func templateWithoutParametersTakesNone(template: WebhookTemplate) throws {
        let url = "https://hooks.example.org/services/1?key=2"
        #expect(try webhook(template, url).url.absoluteString == url)
        #expect(refusedField(template, url, chat: "1") == "chat")
        #expect(refusedField(template, url, token: "x") == "token")
    }

    @Test func unknownTemplateIsRefused() {
        #expect(refusedField(.unknown, "https://example.org") == "template")
    }

    @Test func suggestedTopicCantBeGuessed() throws {
        let id = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
        let url = try #require(WebhookTemplate.ntfy.suggestedURL(topic: id))
        #expect(url == "https://ntfy.sh/lifesignal-0123456789abcdef0123456789abcdef")
        #expect(try webhook(.ntfy, url).ntfyTopic?.count == 43)
        #expect(WebhookTemplate.matrix.suggestedURL(topic: id) == nil)
    }

    @Test(
        arguments: [
            (WebhookTemplate.matrix, "http-401", "It refused the access token (401)."),
            (.ntfy, "http-403", "The access token may not write there (403)."),
            (.telegram, "http-400", "It does not know the chat (400)."),
            (.telegram, "http-404", "It does not know the bot (404)."),
            (.text, "http-404", "It says that it no longer exists (404)."),
            (.text, "http-403", "It refused the last message (403)."),
            (.ntfy, "unconfirmed", "It did not confirm the last message."),
            (
                .ntfy, "unreadable-keys",
                "The server can’t read its access token any more. Add it again."
            ),
        ] as [(WebhookTemplate, String, String)])
    func failureNamesWhatToCorrect(
        template: WebhookTemplate, failure: String, words: String
    ) throws {
        let endpoint = PushEndpoint(
            id: PushEndpointID(UUID()), kind: .webhook,
            url: try #require(URL(string: "https://example.org")), createdAt: Date(),
            lastFailure: failure, template: template)
        #expect(endpoint.failureWords == words)
    }

    @Test func nameSaysWhichService() throws {
        let endpoint = PushEndpoint(
            id: PushEndpointID(UUID()), kind: .webhook,
            url: try #require(URL(string: "https://ntfy.sh/secret")), createdAt: Date(),
            template: .ntfy)
        #expect(endpoint.name(among: []) == "ntfy at ntfy.sh")
    }
}
