import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct TextRouteTests {
    private static let secret = "0123456789abcdef"
    private static let form = "application/x-www-form-urlencoded"

    private final class Texts: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func keep(_ text: String) { kept.withLock { $0.append(text) } }
    }

    private let texts = Texts()

    private func server() throws -> TestServer {
        try TestServer { [texts] setup in
            setup.texts = TextReceiver(secret: Self.secret) {
                texts.keep("\($0): \($1)" + ($2.map { ", \($0)" } ?? ""))
            }
            setup.receiveText = { _, signature, _ in
                signature == "right" ? "<Response></Response>" : nil
            }
        }
    }

    private func send(
        _ body: String, type: String = "application/json", secret: String? = secret
    ) async throws -> Answer {
        try await server().send(
            "POST", TextReceiver.path, Content(type: type, bytes: Data(body.utf8)),
            headers: secret.map { [TextReceiver.secretHeader: $0] } ?? [:])
    }

    @Test(arguments: [
        (#"{"from":"+15550100","text":"1","id":7}"#, "application/json"),
        ("text=1&from=%2B15550100", form),
    ])
    func gatewayMessageIsReceived(body: String, type: String) async throws {
        let answer = try await send(body, type: type)
        #expect(answer.status == 204 && answer.text.isEmpty)
        #expect(texts.all == ["+15550100: 1"])
    }

    @Test(arguments: [
        (#"{"from":"+15550100","text":"1","id":"m7"}"#, "application/json"),
        ("text=1&from=%2B15550100&id=m7", form),
    ])
    func gatewayMessageHasItsID(body: String, type: String) async throws {
        #expect(try await send(body, type: type).status == 204)
        #expect(texts.all == ["+15550100: 1, m7"])
    }

    @Test(arguments: [nil, "", "0123456789abcdeg", "0123456789abcdef0"])
    func gatewayMessageNeedsTheSecret(secret: String?) async throws {
        let answer = try await send(#"{"from":"+15550100","text":"1"}"#, secret: secret)
        #expect(answer.status == 403)
        #expect(answer.problemViolations() == [])
        #expect(texts.all.isEmpty)
    }

    @Test(arguments: [
        ("[]", 422), ("{", 422), (#"{"text":"1"}"#, 422), (#"{"from":"+15550100"}"#, 422),
        (#"{"from":7,"text":"1"}"#, 422), (String(repeating: "a", count: 20_000), 413),
    ])
    func malformedGatewayMessageIsExplained(body: String, status: Int) async throws {
        let answer = try await send(body)
        #expect(answer.status == status)
        #expect(answer.problemViolations() == [])
        #expect(try await send("from=1&text=1", type: "text/plain").status == 415)
    }

    @Test func twilioMessageNeedsASignature() async throws {
        let path = TwilioCallbackPath.answers
        let content = Content(type: Self.form, bytes: Data("Body=1".utf8))
        let server = try server()
        let headers = ["X-Twilio-Signature": "right"]
        let answer = try await server.send("POST", path, content, headers: headers)
        #expect(answer.status == 200 && answer.text == "<Response></Response>")
        #expect(try await server.send("POST", path, content).status == 403)
    }

    @Test(arguments: [TextReceiver.path, TwilioCallbackPath.answers])
    func textRouteIs404WithoutProvider(path: String) async throws {
        let content = Content(type: Self.form, bytes: Data("from=1&text=1".utf8))
        #expect(try await TestServer().send("POST", path, content).status == 404)
    }
}
