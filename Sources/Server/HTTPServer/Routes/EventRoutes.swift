import API
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import SafetyNetwork

extension RouteBuilder {
    /// `GET /v1/events`: first `ready` with the number the stream stands at, or `reload` when what came between is not kept;
    /// then every event in order, without a gap.
    func addEventRoutes(hub: EventHub, metrics: Metrics, noteStreamed: @escaping @Sendable (NotificationID, UserID) -> Void) {
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
            let stream = EventStream(network: network, user: user, metrics: metrics, noteStreamed: noteStreamed)
            // Whoever hangs up ends the stream; ConnectionGuard closes the channel of one that has only stopped sending.
            call.call.context.onClose { hub.unsubscribe(id, of: user) }
            let body = ResponseBody { writer in
                defer { hub.unsubscribe(id, of: user) }
                try await stream.run(from: start, messages, to: &writer)
                try await writer.finish(nil)
            }
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store, no-transform"], body: body
            )
        }
    }

    private static func lastEventID(of request: Request) throws(CommandError) -> Int64? {
        guard let text = request.headers[.lastEventID] else { return nil }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text) else {
            throw .invalidArgument(field: "Last-Event-ID", "This must be the id of an event.")
        }
        return id
    }
}

/// One open stream.
struct EventStream: Sendable {
    private static let page = 100

    let network: SafetyNetwork
    let user: UserID
    let metrics: Metrics
    let noteStreamed: @Sendable (NotificationID, UserID) -> Void

    func run(from start: SafetyNetwork.StreamStart, _ messages: AsyncStream<EventHub.Message>, to writer: inout any ResponseBodyWriter) async throws {
        var last: Int64
        switch start {
        case .resume(let sequence):
            last = sequence
            try await writer.write(ByteBuffer(string: "id: \(last)\nevent: ready\ndata: {\"sequence\":\(last)}\n\n"))
        case .reload(let sequence):
            last = sequence
            try await writer.write(ByteBuffer(string: "id: \(last)\nevent: reload\ndata: {\"sequence\":\(last)}\n\n"))
        }
        try await catchUp(&last, &writer)
        for await message in messages {
            switch message {
            case .keepAlive:
                // Also the moment to find what a full buffer has lost.
                try await catchUp(&last, &writer)
                try await writer.write(ByteBuffer(string: ":\n\n"))
            case .event(let event, let frame):
                if event.sequence == last + 1 {
                    try await send(event, frame, &last, &writer)
                } else if event.sequence > last {
                    try await catchUp(&last, &writer)
                }
            case .end:
                return
            }
        }
    }

    private func catchUp(_ last: inout Int64, _ writer: inout any ResponseBodyWriter) async throws {
        while true {
            let events = try await network.events(of: user, after: last, limit: Self.page)
            for event in events { try await send(event, EventHub.frame(event), &last, &writer) }
            if events.count < Self.page { return }
        }
    }

    private func send(_ event: StoredEvent, _ frame: ByteBuffer, _ last: inout Int64, _ writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(frame)
        last = event.sequence
        metrics.count(.eventsSent)
        if let notification = event.notificationID { noteStreamed(notification, user) }
    }
}
