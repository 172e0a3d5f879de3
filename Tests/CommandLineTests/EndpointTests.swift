import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct EndpointTests {
    private func endpoint() throws -> PushEndpoint {
        PushEndpoint(
            id: PushEndpointID(UUID()), kind: .webhook,
            url: try #require(URL(string: "https://ntfy.sh/secret")), createdAt: Examples.now,
            template: .ntfy)
    }

    private func entered(
        _ name: String, _ address: String? = nil, tokenFile: String? = nil
    ) throws -> Webhook {
        try Endpoints.Add.webhook(name, address, tokenFile: tokenFile, topic: UUID())
    }

    @Test func lineNamesTheServiceAndNotTheTopic() throws {
        let lines = EndpointView(try endpoint(), []).lines(Examples.words)
        #expect(lines.first?.hasPrefix("ntfy at ntfy.sh (webhook)") == true)
        #expect(!lines.joined().contains("secret"))
    }

    @Test func signOutNamesTheWebhooksThatEnd() throws {
        var (own, other) = (try endpoint(), try endpoint())
        own.endsWithSession = true
        #expect(SignOut.removed([own, other]) == ["ntfy at ntfy.sh"])
        other.kind = .webPush
        other.endsWithSession = true
        #expect(SignOut.removed([other]).isEmpty)
    }

    @Test func ntfyInventsATopic() throws {
        let webhook = try entered("ntfy")
        #expect(webhook.url.absoluteString.hasPrefix("https://ntfy.sh/lifesignal-"))
        #expect(webhook.token == nil)
        #expect(throws: (any Error).self) { try entered("matrix") }
        #expect(throws: (any Error).self) { try entered("pigeon", "https://example.org") }
    }

    @Test func tokenComesFromAFile() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try Data("tk_1\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try entered("ntfy", tokenFile: file.path).token == "tk_1")
        #expect(throws: (any Error).self) {
            try entered("ntfy", tokenFile: file.path + "-missing")
        }
    }

    @Test func answerIsANewSuccessOrFailure() throws {
        let before = try endpoint()
        var after = before
        #expect(!after.hasAnswer(since: before))
        after.lastSuccessAt = Examples.now
        #expect(after.hasAnswer(since: before))
        after = before
        after.lastFailure = "http-403"
        #expect(after.hasAnswer(since: before))
    }
}
