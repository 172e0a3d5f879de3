import API
import Domain
import HTTPTypes
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    /// Adds `GET /v1/events`. The stream begins with `ready` and the number of the last event. If
    /// missed events have been deleted, it begins with `reload`. Then it sends every event, in
    /// order.
    func addEventRoutes(
        hub: EventHub, metrics: Metrics,
        noteStreamed: @escaping @Sendable (NotificationID, UserID) -> Void
    ) {
        let network = network
        signedIn(Routes.events) { call in
            let headers: HTTPFields = [
                .contentType: "text/event-stream", .cacheControl: "no-store, no-transform",
            ]
            // HEAD asks for the headers only. A stream has no end of its own.
            guard call.request.method != .head else {
                return Response(status: .ok, headers: headers)
            }
            let lastEventID = try Self.lastEventID(of: call.request)
            let (id, messages) = try hub.subscribe(call.caller)
            let user = call.caller.userID
            let start: Events.StreamStart
            do {
                start = try await network.events.streamStart(
                    for: call.caller, lastEventID: lastEventID)
            } catch {
                hub.unsubscribe(id, of: user)
                throw error
            }
            let stream = EventStreamResponse(
                network: network, caller: call.caller, metrics: metrics,
                whenSeen: call.context.whenSeen, noteStreamed: noteStreamed)
            // Ends the stream when the connection closes. `ConnectionGuard` closes the connection
            // if the client has closed only its sending side.
            call.context.onClose { hub.unsubscribe(id, of: user) }
            let body = ResponseBody { writer in
                defer { hub.unsubscribe(id, of: user) }
                try await stream.run(from: start, messages, to: &writer)
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    private static func lastEventID(of request: Request) throws(CommandError) -> Int64? {
        guard let text = request.headers[.lastEventID] else { return nil }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit),
            let id = Int64(text)
        else {
            throw .invalidArgument(field: "Last-Event-ID", "This must be the id of an event.")
        }
        return id
    }
}
