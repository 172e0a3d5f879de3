import ComposableArchitecture
import Cryptography
import Domain
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

extension WebRoutes {
    /// Every address of a page answers with the whole page, so that it can be opened, reloaded and
    /// kept as a bookmark.
    func addPages(to router: Router<LifeSignalContext>) {
        for path in Set(["/"] + paths).sorted() {
            router.get(RouterPath(path)) { request, context in
                try await page(request, visitor(request, context))
            }
        }
        onSession(.post, "/web/session", on: router) { call in
            let input = try await Self.json(NewCookie.self, call.request, limit: 1_024)
            guard let ticket = Token(input.ticket),
                let secret = try await sessions.rotate(
                    call.secret, ticket: ticket, view: input.view)
            else {
                throw CommandError.permissionDenied("This ticket is not of this page.")
            }
            return Response(status: .noContent, headers: [.setCookie: cookie.header(secret)])
        }
    }

    private struct NewCookie: Decodable {
        var view: String
        var ticket: String
    }

    private func page(_ request: Request, _ visitor: Visitor) async throws -> Response {
        let path = request.uri.path
        var secret = cookie.secret(in: request.headers)
        var session: Session?
        if let known = secret { session = try await sessions.session(for: known, from: visitor) }
        if let present = session, await !present.admits(nil) {
            // Another page of this browser has signed in. A cookie from here would take the place
            // of the one that it is being given.
            guard await !present.isChangingCookie else {
                return .page(Document.soon, headers: [.refresh: "1"])
            }
            session = nil
        }
        if session == nil { (secret, session) = try await sessions.newSession(for: visitor) }
        guard let session, let secret else { throw Self.noSession }
        guard let page = await session.openPage(at: path, within: sessions.limits.settling) else {
            throw Self.noSession
        }
        var response = Response.page(Document.text(page))
        response.headers[.setCookie] = cookie.header(secret)
        return response
    }
}

extension Response {
    /// A page that is the browser's to show, and not to keep.
    static func page(_ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:])
        -> Response
    {
        var response = Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        SecurityHeaders.add(to: &response)
        return response
    }
}
