import Domain
import Hummingbird
import NIOCore
import SafetyNetwork

/// One open stream.
struct EventStreamResponse: Sendable {
    private static let page = 100

    let network: SafetyNetwork
    let caller: Caller
    let metrics: Metrics
    let noteStreamed: @Sendable (NotificationID, UserID) -> Void

    func run(
        from start: SafetyNetwork.StreamStart, _ messages: AsyncStream<EventHub.Message>,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var last: Int64
        switch start {
        case .resume(let sequence):
            last = sequence
            try await writer.write(
                ByteBuffer(string: "id: \(last)\nevent: ready\ndata: {\"sequence\":\(last)}\n\n"))
        case .reload(let sequence):
            last = sequence
            try await writer.write(
                ByteBuffer(string: "id: \(last)\nevent: reload\ndata: {\"sequence\":\(last)}\n\n"))
        }
        try await catchUp(&last, &writer)
        for await message in messages {
            switch message {
            case .keepAlive:
                // Also the moment to find what a full buffer has lost.
                try await catchUp(&last, &writer)
                try await writer.write(ByteBuffer(string: ":\n\n"))
            case .grown:
                try await catchUp(&last, &writer)
            case .uncertain:
                guard try await network.isOpen(caller) else { return }
                try await catchUp(&last, &writer)
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
            let events = try await network.events(
                of: caller.userID, after: last, limit: Self.page)
            for event in events { try await send(event, EventHub.frame(event), &last, &writer) }
            if events.count < Self.page { return }
        }
    }

    private func send(
        _ event: StoredEvent, _ frame: ByteBuffer, _ last: inout Int64,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(frame)
        last = event.sequence
        metrics.count(.eventsSent)
        if let notification = event.notificationID { noteStreamed(notification, caller.userID) }
    }
}
