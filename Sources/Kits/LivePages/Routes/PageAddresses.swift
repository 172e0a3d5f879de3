import ComposableArchitecture
import Cryptography
import HTTPTypes
import Hummingbird
import NIOCore

extension PageRoutes {
    /// Serves the whole page at each path of the app, so that users can open, reload and bookmark
    /// each path.
    func addPages<Context: PageContext>(to router: Router<Context>) {
        for path in Set(["/"] + paths).sorted() {
            router.get(RouterPath(path)) { request, context in
                try await page(request, visitor(request, context))
            }
        }
        onSession(.post, "/web/session", on: router) { call in
            let input = try await call.request.json(NewCookie.self, limit: 1_024)
            guard let ticket = Token(input.ticket),
                let secret = try await sessions.rotate(
                    call.secret, ticket: ticket, view: input.view)
            else {
                throw PageError.unknownTicket
            }
            return Response(status: .noContent, headers: [.setCookie: cookie.header(secret)])
        }
    }

    private func page(_ request: Request, _ visitor: Visitor) async throws -> Response {
        let path = request.uri.path
        var known: (secret: Token, session: Session)?
        if let secret = cookie.secret(in: request.headers),
            let session = try await sessions.session(for: secret, from: visitor)
        {
            known = (secret: secret, session: session)
        }
        if let present = known?.session, await !present.admits(nil) {
            // Another page of this browser has signed in, and the browser will get a new cookie. A
            // cookie in this response would overwrite the new cookie.
            guard await !present.isChangingCookie else {
                return .page(site.waitingPage, headers: [.refresh: "1"])
            }
            known = nil
        }
        if let (secret, session) = known, session.resources.identity == nil {
            known = await sessions.move(session, from: secret).map {
                (secret: $0, session: session)
            }
        }
        if known == nil { known = try await sessions.newSession(for: visitor) }
        guard let (secret, session) = known else { throw PageError.noSession }
        let settling = sessions.limits.settling
        let page = await session.onExecutor {
            await session.openPage(at: path, within: settling)
        }
        guard let page else { throw PageError.noSession }
        var response = Response.page(site.document.text(page))
        response.headers[.setCookie] = cookie.header(secret)
        return response
    }
}

private struct NewCookie: Decodable {
    var view: String
    var ticket: String
}
