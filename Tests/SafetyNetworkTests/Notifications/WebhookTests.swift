import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct WebhookTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    private func save(_ id: PushEndpointID, _ address: String) async throws {
        let url = try #require(URL(string: address))
        _ = try await server.network.endpoints.savePushEndpoint(
            id, kind: .webhook, url: url, of: ada.caller)
    }

    /// Otherwise the owner would lose the webhook by ending the session.
    @Test(arguments: [("https://example.org/hook", false), ("https://example.org/other", true)])
    func unchangedWebhookStaysWithItsSession(address: String, isTakenOver: Bool) async throws {
        let id: PushEndpointID = server.environment.id()
        try await save(id, "https://example.org/hook")
        let thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        _ = try await server.news(of: ada)
        let url = try #require(URL(string: address))
        _ = try await server.network.endpoints.savePushEndpoint(
            id, kind: .webhook, url: url, of: thief.caller)
        #expect(try await server.news(of: ada) == (isTakenOver ? ["A webhook was added"] : []))
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        let kept = try await server.engine.read { [ada] in try $0.pushEndpoints(of: ada.id) }
        #expect(kept.map(\.id) == (isTakenOver ? [] : [id]))
    }

    @Test func endedSessionAddsNoWebhook() async throws {
        try await server.network.signIn.endSession(ada.caller.sessionID, of: ada.caller)
        let refused = await refusal {
            try await save(server.environment.id(), "https://example.org/hook")
        }
        #expect(refused?.isUnauthenticated == true)
        let kept = try await server.engine.read { [ada] in try $0.pushEndpoints(of: ada.id) }
        #expect(kept.isEmpty)
    }

    @Test func listSaysWhichEndWithTheSession() async throws {
        try await save(server.environment.id(), "https://example.org/hook")
        let other = try await server.signIn(ada.number, as: "Ada")
        for (person, ends) in [(ada, true), (other, nil)] as [(Person, Bool?)] {
            let list = try await server.network.endpoints.pushEndpoints(of: person.caller)
            #expect(list.map(\.endsWithSession) == [ends])
        }
    }

    @Test(arguments: [
        ("https://lifesignal.example/s/secret", false),
        ("https://LifeSignal.example:443/s/secret", false),
        ("https://lifesignal.example/hook", true), ("https://lifesignal.example/status", true),
        ("https://example.org/s/secret", true),
    ])
    func sourceIsNoWebhook(address: String, isSaved: Bool) async throws {
        let refused = await refusal { try await save(server.environment.id(), address) }
        #expect((refused == nil) == isSaved)
        let kept = try await server.engine.read { [ada] in try $0.pushEndpoints(of: ada.id) }
        #expect(kept.isEmpty != isSaved)
    }

    @Test(arguments: [
        "https://lifesignal.example//s/", "https://lifesignal.example/./s/",
        "https://lifesignal.example/x/../s/", "https://lifesignal.example/%73/",
        "https://localhost:8443/s/", "https://127.1/s/",
    ])
    func sourceInAnotherSpellingIsNoWebhook(address: String) async throws {
        let source = try await server.network.sources.add("Button", of: ada.caller)
        let secret = try #require(source.address.pathComponents.last)
        for ending in ["", "/", "?a=b"] {
            let refused = await refusal {
                try await save(server.environment.id(), address + secret + ending)
            }
            #expect(refused?.field == "url")
        }
        let other = (secret.hasPrefix("x") ? "y" : "x") + secret.dropFirst()
        try await save(server.environment.id(), "https://example.org/s/\(other)")
    }

    /// The server's second address has a path.
    @Test(arguments: [
        ("https://www.lifesignal.example/net/s/secret", false),
        ("https://www.lifesignal.example/s/secret", true),
        ("https://lifesignal.example/s/secret", false),
        ("https://lifesignal.example/net/s/secret", true),
    ])
    func sourceOfAnotherAddressIsNoWebhook(address: String, isSaved: Bool) async throws {
        let other = try #require(URL(string: "https://www.lifesignal.example/net"))
        let server = try TestServer(options: { $0.otherURLs = [other] })
        let ada = try await server.person("Ada")
        let url = try #require(URL(string: address))
        let refused = await refusal {
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: ada.caller)
        }
        #expect(refused?.field == (isSaved ? nil : "url"))
    }

    @Test(arguments: [
        ("https://LifeSignal.example:443/s/secret", false),
        ("https://push.example/s/secret", true), ("https://lifesignal.example/push", true),
    ])
    func sourceIsNoBrowser(address: String, isSaved: Bool) async throws {
        let refused = await refusal { try await subscribe(address) }
        #expect(refused?.field == (isSaved ? nil : "url"))
        let kept = try await server.engine.read { [ada] in try $0.pushEndpoints(of: ada.id) }
        #expect(kept.isEmpty != isSaved)
    }

    @Test func sourceInAnotherSpellingIsNoBrowser() async throws {
        let source = try await server.network.sources.add("Button", of: ada.caller)
        let secret = try #require(source.address.pathComponents.last)
        for address in ["https://127.1/s/", "https://lifesignal.example/%73/"] {
            let refused = await refusal { try await subscribe(address + secret) }
            #expect(refused?.field == "url")
        }
    }

    private func subscribe(_ address: String) async throws {
        // Makes the key that browsers subscribe with.
        try await server.network.serverLife.wake()
        let subscription = BrowserSubscription(
            url: try #require(URL(string: address)), p256dh: Data([4]), auth: Data([0]))
        _ = try await server.network.pushSubscriptions.savePushSubscription(
            server.environment.id(), subscription, of: ada.caller)
    }

    @Test func newWebhookIsAnnouncedDespiteMuting() async throws {
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: muted), of: ada.caller)
        let id: PushEndpointID = server.environment.id()
        try await save(id, "https://example.org/hook")
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["A webhook was added"])
        #expect(news.first?.body.hasPrefix("example.org gets your messages, too.") == true)
        try await save(id, "https://example.org/hook")
        #expect(try await server.news(of: ada) == [])
        try await save(id, "https://thief.example/hook")
        #expect(try await server.news(of: ada) == ["A webhook was added"])
    }

    private func save(
        _ id: PushEndpointID, chat: String, token: String
    ) async throws -> Data? {
        let webhook = try Webhook(
            url: "https://matrix.example.org", template: .matrix, chat: chat, token: token,
            allowsPlainHTTP: false)
        return try await server.network.endpoints.saveWebhook(id, webhook, of: ada.caller).secret
    }

    /// The address of a chat service is the same for a thief's room.
    @Test func newRoomAndNewTokenAreAnnounced() async throws {
        let id: PushEndpointID = server.environment.id()
        #expect(try await save(id, chat: "!a:example.org", token: "one") == nil)
        #expect(try await server.news(of: ada) == ["A webhook was added"])
        _ = try await save(id, chat: "!b:example.org", token: "one")
        #expect(try await server.news(of: ada) == ["A webhook was added"])
        _ = try await save(id, chat: "!b:example.org", token: "two")
        #expect(try await server.news(of: ada) == ["A webhook was added"])
        try await save(id, "https://matrix.example.org")
        #expect(try await server.news(of: ada) == ["A webhook was added"])
    }

    @Test func tokenIsStoredSealed() async throws {
        let id: PushEndpointID = server.environment.id()
        _ = try await save(id, chat: "!a:example.org", token: "syt_secret")
        let stored = try await server.engine.read { [ada] in
            try $0.value("SELECT token FROM devices WHERE user_id = $1", [.id(ada.id)]) as Data?
        }
        let sealed = try #require(stored)
        #expect(sealed.range(of: Data("syt_secret".utf8)) == nil)
        let key = server.network.endpoints.key
        #expect(
            key.open(webhookToken: sealed, user: ada.id.uuid, endpoint: id.uuid) == "syt_secret")
    }

    @Test func testGoesToOneWebhookOnceAMinute() async throws {
        let ids: [PushEndpointID] = [server.environment.id(), server.environment.id()]
        for (number, id) in ids.enumerated() { try await save(id, "https://example.org/\(number)") }
        func test(_ id: PushEndpointID, by person: Person) async -> CommandError? {
            await refusal {
                try await server.network.endpoints.testPushEndpoint(id, of: person.caller)
            }
        }
        #expect(await test(ids[0], by: ada) == nil)
        let sent = try await server.engine.read { [ada] in
            try $0.query(
                "SELECT device_id FROM deliveries WHERE user_id = $1 AND purpose = 'test'",
                [.id(ada.id)]
            ) { try $0["device_id"] as PushEndpointID }
        }
        #expect(sent == [ids[0]])
        #expect(await test(ids[1], by: ada) == nil)
        server.clock.pass(.minutes(1) - .milliseconds(1))
        #expect(await test(ids[0], by: ada) == .rateLimited(retryAfter: .milliseconds(1)))
        server.clock.pass(.milliseconds(1))
        #expect(await test(ids[0], by: ada) == nil)
        let ben = try await server.person("Ben")
        #expect(await test(ids[0], by: ben)?.isNotFound == true)
    }

    @Test(arguments: [
        (EndpointNews.gone, PushEndpoint.Kind.webhook, "Your webhook does not work"),
        (.givenUp, .webhook, "Your webhook was removed"),
        (.givenUp, .apns, "An app gets no more messages"),
        (.ended, .fcm, "An app gets no more messages"),
    ])
    func ownerIsToldWhatNoLongerWorksDespiteMuting(
        news: EndpointNews, kind: PushEndpoint.Kind, title: String
    ) async throws {
        _ = try await server.network.notifications.setPreferences(
            try NotificationPreferences(muted: [.system]), of: ada.caller)
        let url = try #require(URL(string: "https://example.org/hook"))
        var notice = EndpointNotice(news: news, userID: ada.id, url: url, reason: .http(404))
        notice.kind = kind
        try await server.engine.write(about: .none) { [notice, server] in
            try server.network.endpoints.notifyOwner(notice, in: $0)
        }
        #expect(try await server.news(of: ada) == [title])
    }
}
