import API
import Domain
import HTTPTypes
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    /// `GET /v1/events`: first `ready` with the number the stream stands at, or `reload` when what
    /// came between is not kept; then every event in order, without a gap.
    func addEventRoutes(
        hub: EventHub, metrics: Metrics,
        noteStreamed: @escaping @Sendable (NotificationID, UserID) -> Void
    ) {
        let network = network
        signedIn(Routes.events) { call in
            let lastEventID = try Self.lastEventID(of: call.call.request)
            let (id, messages) = try hub.subscribe(call.caller)
            let user = call.caller.userID
            let start: SafetyNetwork.StreamStart
            do {
                start = try await network.streamStart(for: call.caller, lastEventID: lastEventID)
            } catch {
                hub.unsubscribe(id, of: user)
                throw error
            }
            let stream = EventStreamResponse(
                network: network, caller: call.caller, metrics: metrics, noteStreamed: noteStreamed)
            // Disconnecting ends the stream; ConnectionGuard closes a channel that has only stopped
            // sending.
            call.call.context.onClose { hub.unsubscribe(id, of: user) }
            let body = ResponseBody { writer in
                defer { hub.unsubscribe(id, of: user) }
                try await stream.run(from: start, messages, to: &writer)
                try await writer.finish(nil)
            }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/event-stream", .cacheControl: "no-store, no-transform",
                ], body: body
            )
        }
    }

    private static func lastEventID(of request: Request) throws(CommandError) -> Int64? {
        guard let text = request.headers[.lastEventID] else { return nil }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let id = Int64(text)
        else {
            throw .invalidArgument(field: "Last-Event-ID", "This must be the id of an event.")
        }
        return id
    }
}
