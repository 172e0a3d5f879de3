import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import LivePages

/// The diary's routes on a router, without sockets.
struct DiarySite: Sendable {
    static let origin = "https://counter.example"
    private static let header = HTTPField.Name("X-Counter") ?? .via

    let host = DiaryHost()
    let sessions: DiarySessions
    private let responder: any HTTPResponder<CounterContext>

    init(publicURL: String = DiarySite.origin) throws {
        sessions = host.sessions()
        let router = Router(context: CounterContext.self)
        PageRoutes(
            sessions: sessions, site: CounterServer.site,
            publicURL: try #require(URL(string: publicURL)), paths: ["/sheet", "/add/{id}"]
        ).add(to: router)
        responder = router.buildResponder()
    }

    struct Answer {
        var status: Int
        var headers: HTTPFields
        var bytes: Data
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The secret in the cookie that was set.
        var secret: Token? {
            headers[.setCookie].flatMap { $0.firstMatch(of: #/counter=([A-Za-z0-9_-]{43})/#) }
                .flatMap { Token(String($0.1)) }
        }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", secret: Token? = nil,
        headers: [HTTPField.Name: String] = [:], authority: String = "counter.example"
    ) async throws -> Answer {
        var headers = headers
        if let secret {
            headers[.cookie] = "a=b; __Host-counter=\(secret.text); counter=\(secret.text)"
        }
        let response = try await responder.send(
            method, path, body, headers: headers, authority: authority)
        let isStream = response.headers[.contentType] == "text/event-stream"
        return Answer(
            status: response.status.code, headers: response.headers,
            bytes: isStream ? Data() : try await bytes(of: response))
    }

    /// As the script of a page of ours does.
    static var own: [HTTPField.Name: String] {
        [header: "1", .origin: origin, .secFetchSite: "same-origin"]
    }

    func post(_ path: String, _ body: String, secret: Token?) async throws -> Answer {
        try await send(.post, path, body, secret: secret, headers: Self.own)
    }
}
