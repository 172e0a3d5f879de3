import Domain
import Foundation
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

    @Test func endedSessionAddsNoWebhook() async throws {
        try await server.network.signIn.endSession(ada.caller.sessionID, of: ada.caller)
        let refused = await refusal {
            try await save(server.environment.id(), "https://example.org/hook")
        }
        #expect(refused?.isUnauthenticated == true)
        let kept = try await server.engine.read { [ada] in try $0.pushEndpoints(of: ada.id) }
        #expect(kept.isEmpty)
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
}
