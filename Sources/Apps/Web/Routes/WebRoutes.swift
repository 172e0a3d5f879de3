import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the web app, to be put on the server's router.
public struct WebRoutes<Feature: Reducer & SendableMetatype>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    typealias Session = WebSession<Feature>

    /// The parameters of a page's request.
    struct Call: Sendable {
        var request: Request
        var context: LifeSignalContext
        var session: Session
        var secret: Token
    }

    let sessions: WebSessions<Feature>
    let cookie: SessionCookie
    let check: SameSiteCheck
    let paths: [String]
    let trustsProxy: Bool

    /// - Parameters:
    ///   - paths: the addresses that are pages, as `/profile` or `/add/{id}`.
    ///   - trustsProxy: the last entry of X-Forwarded-For is believed.
    public init(
        sessions: WebSessions<Feature>, publicURL: URL, paths: [String], trustsProxy: Bool = false
    ) {
        self.sessions = sessions
        cookie = SessionCookie(isSecure: publicURL.scheme?.lowercased() == "https")
        check = SameSiteCheck(publicURL: publicURL)
        self.paths = paths
        self.trustsProxy = trustsProxy
    }

    public func add(to router: Router<LifeSignalContext>) {
        router.add(middleware: ErrorPages())
        addPages(to: router)
        addStream(to: router)
        addEvents(to: router)
        addPictures(to: router)
        addQueue(to: router)
        addDownloads(to: router)
        Self.addAssets(to: router)
    }

    /// A route for who has a session. Throws `unauthenticated` for anybody else, which makes a page
    /// start over.
    func onSession(
        _ method: HTTPRequest.Method, _ path: String, on router: Router<LifeSignalContext>,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        router.on(RouterPath(path), method: method) { [self] request, context in
            if method == .get {
                try check.refuseOthers(request)
            } else {
                try check.requireOwnPage(request)
            }
            guard let secret = cookie.secret(in: request.headers),
                let session = try await sessions.session(
                    for: secret, from: visitor(request, context))
            else { throw Self.noSession }
            var response = try await handler(
                Call(request: request, context: context, session: session, secret: secret))
            // They are for what is shown; each tap is answered without anything to show.
            if response.status != .noContent { SecurityHeaders.add(to: &response) }
            return response
        }
    }

    func visitor(_ request: Request, _ context: LifeSignalContext) -> Visitor {
        Visitor(
            address: context.address(of: request, trustsProxy: trustsProxy),
            userAgent: request.headers[.userAgent])
    }

    static var noSession: CommandError {
        CommandError.unauthenticated("This page is no longer connected. Load it again.")
    }

    /// The JSON of a request, at most `limit` bytes. Throws `invalidArgument` for anything else.
    static func json<Value: Decodable>(_ type: Value.Type, _ request: Request, limit: Int)
        async throws -> Value
    {
        do {
            return try WireJSON.decoder().decode(type, from: try await bytes(request, limit: limit))
        } catch is DecodingError {
            throw CommandError.invalidArgument(field: "body", "This is not what a page sends.")
        }
    }

    static func bytes(_ request: Request, limit: Int) async throws -> Data {
        do {
            return Data(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw CommandError.payloadTooLarge(limitInBytes: limit)
        } catch is ChannelError {
            throw CommandError.invalidArgument(field: "body", "The body did not arrive whole.")
        }
    }

    static func answer(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws
        -> Response
    {
        let bytes = try WireJSON.encoder().encode(value)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
