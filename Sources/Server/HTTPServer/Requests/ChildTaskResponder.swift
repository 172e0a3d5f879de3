import Hummingbird
import TaskWork

/// Answers GET requests in a child task. The connection's task, which writes the body, then keeps
/// no memory of the calls that made the answer. Streams are GET requests, and stay open for hours.
struct ChildTaskResponder<Responder: HTTPResponder>: HTTPResponder
where Responder.Context: RequestContext {
    typealias Context = Responder.Context

    let responder: Responder

    func respond(to request: Request, context: Context) async throws -> Response {
        guard request.method == .get else {
            return try await responder.respond(to: request, context: context)
        }
        return try await inChildTask { [responder] in
            try await responder.respond(to: request, context: context)
        }
    }
}
