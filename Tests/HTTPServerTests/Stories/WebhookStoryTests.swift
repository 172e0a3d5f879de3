import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct WebhookStoryTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
    }

    private func register(
        _ number: UInt8, _ request: PushEndpointRequest
    ) async throws -> PushEndpointResponse {
        try await server.call(
            Routes.savePushEndpoint, request, id: "\(id(number) as PushEndpointID)", by: ada)
    }

    @Test func webhookOfEachTemplateIsListedWithoutItsToken() async throws {
        let bot = "123456:" + String(repeating: "a", count: 35)
        let requests = [
            PushEndpointRequest(
                kind: .webhook, url: "https://ntfy.sh/topic", token: "tk_1", template: .ntfy),
            PushEndpointRequest(
                kind: .webhook, url: "https://matrix.example.org", token: "syt_1",
                template: .matrix, chat: "!a:example.org"),
            PushEndpointRequest(
                kind: .webhook, url: "https://api.telegram.org", token: bot, template: .telegram,
                chat: "42"),
            PushEndpointRequest(
                kind: .webhook, url: "https://hooks.example.org/1", template: .text),
        ]
        for (number, request) in requests.enumerated() {
            let saved = try await register(UInt8(number + 1), request)
            #expect(saved.signingSecret == nil)
            #expect(saved.template == request.template && saved.chat == request.chat)
        }
        let list = try await server.call(Routes.pushEndpoints, by: ada).items
        #expect(list.compactMap(\.template) == [.ntfy, .matrix, .telegram, .text])
        #expect(list.compactMap(\.chat) == ["!a:example.org", "42"])
        let export = try await server.call(Routes.export, by: ada)
        #expect(list.map(\.endsWithSession) == [true, true, true, true])
        #expect(export.devices.map(\.id) == list.map(\.id))
        #expect(export.devices.map(\.template) == list.map(\.template))
        let text = String(decoding: try WireJSON.encoder().encode(export), as: UTF8.self)
        for token in ["tk_1", "syt_1", bot] { #expect(!text.contains(token)) }
    }

    /// Older clients name no template.
    @Test func webhookWithoutATemplateIsSigned() async throws {
        for template in [nil, WebhookTemplate.lifesignal] {
            let request = PushEndpointRequest(
                kind: .webhook, url: "https://example.org/hook", template: template)
            #expect(try await register(8, request).signingSecret?.hasPrefix("whsec_") == true)
            let list = try await server.call(Routes.pushEndpoints, by: ada).items
            #expect(list.map(\.template) == [nil])
        }
    }

    @Test(arguments: [
        (#"{"template":"pigeon","url":"https://example.org"}"#, "template"),
        (#"{"template":"ntfy","url":"https://ntfy.sh"}"#, "url"),
        (#"{"template":"ntfy"}"#, "url"),
        (#"{"template":"matrix","url":"https://example.org","token":"x"}"#, "chat"),
        (#"{"template":"matrix","url":"https://example.org","chat":"!a"}"#, "token"),
        (#"{"template":"telegram","url":"https://example.org","chat":"1","token":"x"}"#, "token"),
        (#"{"template":"text","url":"https://example.org","token":"x"}"#, "token"),
    ])
    func invalidWebhookNamesTheField(body: String, field: String) async throws {
        let whole = #"{"kind":"webhook","# + body.dropFirst()
        let answer = try await server.send(
            "PUT", "/v1/devices/\(id(9) as PushEndpointID)", .json(whole), token: ada.token)
        #expect(answer.status == 422 || answer.status == 400)
        #expect(answer.text.contains(field), "\(answer.text)")
        #expect(try await server.call(Routes.pushEndpoints, by: ada).items == [])
    }
}
