import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import RequestsInProcess
import Testing

@testable import HTTPServer
@testable import LivePages
@testable import Web

/// The web app's routes without sockets.
final class TestSite: Sendable {
    static let origin = "https://lifesignal.example"

    let host = TestHost()
    let sessions: WebSessions<Visits>
    private let responder: any HTTPResponder<LifeSignalContext>

    /// - Parameter requestsPerAddress: the limit per minute; 0 for no limit. The time of this site
    ///   doesn't advance.
    init(publicURL: String = TestSite.origin, requestsPerAddress: Int = 0) throws {
        let url = try #require(URL(string: publicURL))
        sessions = host.sessions(below: PathPrefix(of: url).text)
        let router = Router(context: LifeSignalContext.self)
        let routes = WebRoutes(
            sessions: sessions, publicURL: url,
            paths: ["/sheet", "/add/{id}"], delivered: { _ in .visitButtonTapped })
        let now = ContinuousClock.now
        router.add(
            middleware: Limited(
                limits: RequestLimits(
                    perAddress: { requestsPerAddress }, pageCaller: routes.caller(of:),
                    now: { now })))
        routes.add(to: router)
        responder = router.buildResponder()
    }

    /// Returns the server's answer to a request. Throws the command's error if the server refuses
    /// the request.
    func send(
        _ method: String, _ path: String, _ body: String = "", secret: Token? = nil,
        headers: [String: String] = [:], authority: String = "lifesignal.example"
    ) async throws -> PageAnswer {
        var fields = HTTPFields()
        if let secret {
            let cookies = ["__Host-", "__Secure-", ""].map { "\($0)lifesignal=\(secret.text)" }
            fields[.cookie] = "a=b; " + cookies.joined(separator: "; ")
        }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        return try await PageAnswer(
            responder.send(
                try #require(HTTPRequest.Method(rawValue: method)), path, body, headers: fields,
                authority: authority), cookie: "lifesignal")
    }

    /// Returns the secret of a cookie that belongs to a session of Ada's.
    func signIn() async throws -> Token {
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, TestHost.ada)
        return secret
    }

    func post(_ path: String, _ body: String, secret: Token?, origin: String = TestSite.origin)
        async throws -> PageAnswer
    {
        try await send(
            "POST", path, body, secret: secret,
            headers: ["X-LifeSignal": "1", "Origin": origin, "Sec-Fetch-Site": "same-origin"])
    }
}

private struct Limited: RouterMiddleware {
    let limits: RequestLimits

    func handle(
        _ request: Request, context: LifeSignalContext,
        next: (Request, LifeSignalContext) async throws -> Response
    ) async throws -> Response {
        try await next(request, try await limits.check(request, context))
    }
}

/// Returns the error of a refused request; nil if the request succeeds.
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
    var isRateLimited: Bool { if case .rateLimited = self { true } else { false } }
}
