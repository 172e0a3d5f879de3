import ComposableArchitecture
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Secrets
import Server

extension WebRoutes {
    /// Every address of a page answers with the whole page, so that it can be opened, reloaded and kept as a bookmark.
    func addPages(to router: Router<LifeSignalContext>) {
        for path in Set(["/"] + paths).sorted() {
            router.get(RouterPath(path)) { request, context in try await page(request, context.address(of: request, trustsProxy: trustsProxy)) }
        }
        router.get("/web/shell") { _, _ in
            var response = Self.html(Document.shell)
            response.headers[.cacheControl] = "no-cache"
            return response
        }
        onSession(.post, "/web/session", on: router) { call in
            let input = try await Self.json(NewCookie.self, call.request, limit: 1_024)
            guard let ticket = Token(input.ticket), let secret = try await sessions.rotate(call.secret, ticket: ticket, view: input.view) else {
                throw CommandError.permissionDenied("This ticket is not of this page.")
            }
            return Response(status: .noContent, headers: [.setCookie: cookie.header(secret)])
        }
    }

    private struct NewCookie: Decodable {
        var view: String
        var ticket: String
    }

    private func page(_ request: Request, _ address: String) async throws -> Response {
        let path = request.uri.path
        var secret = cookie.secret(in: request.headers)
        var session: Session?
        if let known = secret { session = try await sessions.session(for: known, address: address) }
        if let present = session, await !present.admits(nil) { session = nil }
        if session == nil { (secret, session) = try await sessions.newSession(address: address) }
        guard let session, let secret else { throw Self.noSession }
        await session.open(path)
        await session.settle(atMost: sessions.limits.settling)
        guard let page = await session.openPage() else { throw Self.noSession }
        var response = Self.html(Document.text(page))
        response.headers[.setCookie] = cookie.header(secret)
        return response
    }

    private static func html(_ text: String) -> Response {
        var response = Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
        SecurityHeaders.add(to: &response)
        return response
    }
}
