import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LivePages
@testable import Web

/// The web app's routes on a router, without sockets.
final class TestSite: Sendable {
    static let origin = "https://lifesignal.example"

    let host = TestHost()
    let sessions: WebSessions<Visits>
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response

    init(publicURL: String = TestSite.origin) throws {
        sessions = host.sessions()
        let router = Router(context: LifeSignalContext.self)
        WebRoutes(
            sessions: sessions, publicURL: try #require(URL(string: publicURL)),
            paths: ["/sheet", "/add/{id}"]
        ).add(to: router)
        let responder = router.buildResponder()
        respond = { try await responder.respond(to: $0, context: $1) }
    }

    struct Answer {
        var status: Int
        var headers: HTTPFields
        var bytes: Data
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The secret in the cookie that was set.
        var secret: Token? {
            headers[.setCookie].flatMap { $0.firstMatch(of: #/lifesignal=([A-Za-z0-9_-]{43})/#) }
                .flatMap { Token(String($0.1)) }
        }
    }

    /// The server's answer to a request; a refusal by its command's error.
    func send(
        _ method: String, _ path: String, _ body: String = "", secret: Token? = nil,
        headers: [String: String] = [:], authority: String = "lifesignal.example"
    ) async throws -> Answer {
        var fields = HTTPFields()
        if let secret {
            fields[.cookie] = "a=b; __Host-lifesignal=\(secret.text); lifesignal=\(secret.text)"
        }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let head = HTTPRequest(
            method: try #require(HTTPRequest.Method(rawValue: method)), scheme: "https",
            authority: authority, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let channel = NIOAsyncTestingChannel()
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger[metadataKey: "hb.request.id"] = "test"
        let response = try await respond(
            request, LifeSignalContext(source: .init(channel: channel, logger: logger)))
        let body = CollectedBody()
        if response.headers[.contentType] != "text/event-stream" {
            try await response.body.write(body)
        }
        return Answer(status: response.status.code, headers: response.headers, bytes: body.bytes)
    }

    /// A cookie's secret that stands for a session of Ada's.
    func signIn() async throws -> Token {
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, TestHost.ada)
        return secret
    }

    /// As the script of a page of ours does.
    func post(_ path: String, _ body: String, secret: Token?, origin: String = TestSite.origin)
        async throws -> Answer
    {
        try await send(
            "POST", path, body, secret: secret,
            headers: ["X-LifeSignal": "1", "Origin": origin, "Sec-Fetch-Site": "same-origin"])
    }
}

/// Takes a body as it is written.
struct CollectedBody: ResponseBodyWriter {
    private final class Box: Sendable { let bytes = Mutex(Data()) }
    private let box = Box()

    var bytes: Data { box.bytes.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        box.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// The refusal that a request meets; nil when it meets none.
func refusal<Value>(_ request: () async throws -> Value) async -> CommandError? {
    do {
        _ = try await request()
        return nil
    } catch {
        return error as? CommandError
    }
}

extension CommandError {
    var isPermissionDenied: Bool { if case .permissionDenied = self { true } else { false } }
    var isUnauthenticated: Bool { if case .unauthenticated = self { true } else { false } }
    var isInvalid: Bool { if case .invalidArgument = self { true } else { false } }
    var isTooLarge: Bool { if case .payloadTooLarge = self { true } else { false } }
}
