import Domain
import HTTPTypes
import Hummingbird

/// Removes the path prefix from requests, so that no route needs to know it. A proxy may pass the
/// whole path on, or remove the prefix itself.
struct PrefixResponder<Responder: HTTPResponder>: HTTPResponder {
    typealias Context = Responder.Context

    let prefix: PathPrefix
    let responder: Responder

    func respond(to request: Request, context: Context) async throws -> Response {
        guard prefix != .root, let rest = prefix.removed(from: request.head.path ?? "") else {
            return try await responder.respond(to: request, context: context)
        }
        // The service worker controls only pages below the slash.
        if request.uri.path == prefix.text, request.method == .get || request.method == .head {
            return Response(
                status: .temporaryRedirect, headers: [.location: prefix.text + rest])
        }
        var head = request.head
        head.path = rest
        return try await responder.respond(
            to: Request(head: head, body: request.body), context: context)
    }
}
