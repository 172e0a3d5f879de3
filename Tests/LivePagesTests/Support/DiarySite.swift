import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import RequestsInProcess
import Testing

@testable import LivePages

struct DiarySite: Sendable {
    static let origin = "https://counter.example"
    private static let header = HTTPField.Name("X-Counter") ?? .via

    let host = DiaryHost()
    let sessions: DiarySessions
    private let responder: any HTTPResponder<CounterContext>

    init(
        publicURL: String = DiarySite.origin, otherURLs: [URL] = [],
        bodies: (any BodyMemory)? = nil
    ) throws {
        sessions = host.sessions()
        let router = Router(context: CounterContext.self)
        PageRoutes(
            sessions: sessions, site: CounterServer.site,
            publicURL: try #require(URL(string: publicURL)), otherURLs: otherURLs,
            paths: ["/sheet", "/add/{id}"], bodies: bodies
        ).add(to: router)
        responder = router.buildResponder()
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", secret: Token? = nil,
        headers: [HTTPField.Name: String] = [:], authority: String = "counter.example"
    ) async throws -> PageAnswer {
        var fields = HTTPFields(headers)
        if let secret {
            fields[.cookie] = "a=b; __Host-counter=\(secret.text); counter=\(secret.text)"
        }
        return try await PageAnswer(
            responder.send(method, path, body, headers: fields, authority: authority),
            cookie: "counter")
    }

    static var own: [HTTPField.Name: String] {
        [header: "1", .origin: origin, .secFetchSite: "same-origin"]
    }

    func post(_ path: String, _ body: String, secret: Token?) async throws -> PageAnswer {
        try await send(.post, path, body, secret: secret, headers: Self.own)
    }

    /// Posts a body that the server reads while it arrives.
    func post(_ path: String, _ body: RequestBody, length: Int?, secret: Token) async throws
        -> PageAnswer
    {
        var fields = HTTPFields(Self.own)
        fields[.cookie] = "__Host-counter=\(secret.text)"
        if let length { fields[.contentLength] = "\(length)" }
        return try await PageAnswer(
            responder.send(.post, path, body, headers: fields, authority: "counter.example"),
            cookie: "counter")
    }
}
