import ComposableArchitecture
import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of an app's pages. They throw ``PageError``.
public struct PageRoutes<Feature: Reducer & SendableMetatype, Resources: PageResources>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Session = PageSession<Feature, Resources>

    public struct Call: Sendable {
        public var request: Request
        public var parameters: Parameters
        public var session: Session
        var secret: Token
        /// Registers a closure that runs when the connection closes.
        var onClose: @Sendable (@escaping @Sendable () -> Void) -> Void
    }

    public let sessions: PageSessions<Feature, Resources>
    let site: PageSite
    let cookie: SessionCookie
    let check: SameSiteCheck
    let paths: [String]
    let bodies: (any BodyMemory)?

    /// - Parameters:
    ///   - paths: The paths of pages, such as `/profile` or `/add/{id}`.
    ///   - otherURLs: Further addresses of the server. Their pages may send requests, too.
    ///   - bodies: The memory for large files. Pass nil for unlimited memory.
    public init(
        sessions: PageSessions<Feature, Resources>, site: PageSite, publicURL: URL,
        otherURLs: [URL] = [], paths: [String], bodies: (any BodyMemory)? = nil
    ) {
        self.sessions = sessions
        self.site = site
        cookie = SessionCookie(
            baseName: site.cookieName, isSecure: publicURL.scheme?.lowercased() == "https",
            base: site.document.base)
        check = SameSiteCheck(urls: [publicURL] + otherURLs, header: site.requestHeader)
        self.paths = paths
        self.bodies = bodies
    }

    public func add<Context: PageContext>(to router: Router<Context>) {
        addPages(to: router)
        addStream(to: router)
        addEvents(to: router)
        addDownloads(to: router)
        addAssets(to: router)
    }

    /// Adds a route that requires a session. Without a session, the route throws `noSession`, and
    /// the page reloads itself.
    public func onSession<Context: PageContext>(
        _ method: HTTPRequest.Method, _ path: String, on router: Router<Context>,
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
            else { throw PageError.noSession }
            let call = Call(
                request: request, parameters: context.parameters, session: session,
                secret: secret, onClose: { context.onClose($0) })
            var response = try await handler(call)
            // Skips the headers for empty responses. Most taps get an empty response.
            if response.status != .noContent { SecurityHeaders.add(to: &response) }
            return response
        }
    }

    /// Returns the person who is signed in with the request's cookie. Returns nil if the session
    /// sleeps.
    public func identity(of request: Request) async -> Resources.Identity? {
        guard let secret = cookie.secret(in: request.headers) else { return nil }
        return await sessions.identity(of: secret)
    }

    func visitor<Context: PageContext>(_ request: Request, _ context: Context) -> Visitor {
        Visitor(
            address: context.address, origin: Context.origin(ofAddress: context.address),
            userAgent: request.headers[.userAgent], languages: request.headers[.acceptLanguage])
    }
}

extension Request {
    /// Decodes a JSON body of at most `limit` bytes. Throws ``PageError`` on failure.
    /// - Parameter executor: where the body is decoded, because the thread of a connection serves
    ///   other connections, too. With nil, the task's executor stays.
    public func json<Value: Decodable & Sendable>(
        _ type: Value.Type, limit: Int, decoder: JSONDecoder = JSONDecoder(),
        on executor: (any TaskExecutor)? = nil
    ) async throws -> Value {
        let bytes = try await bytes(limit: limit)
        do {
            return try await withTaskExecutorPreference(executor) {
                try decoder.decode(type, from: bytes)
            }
        } catch is DecodingError {
            throw PageError.unreadableBody
        }
    }

    func bytes(limit: Int) async throws -> Data {
        do {
            return Data(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw PageError.tooLarge(limitInBytes: limit)
        } catch is ChannelError {
            throw PageError.unreadable(field: "body", "The body is incomplete.")
        }
    }
}

extension Response {
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws
        -> Response
    {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value))))
    }

    /// Returns a page that browsers don't store.
    public static func page(
        _ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var response = Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        SecurityHeaders.add(to: &response)
        return response
    }
}
