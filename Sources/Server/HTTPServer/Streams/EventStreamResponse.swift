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
                // Also the moment to find what a full buffer or a lost hint has cost.
                guard try await catchUp(&last, &writer, checksSession: network.hasSiblings)
                else { return }
                try await writer.write(ByteBuffer(string: ":\n\n"))
            case .grown(let look):
                look.begin()
                try await catchUp(&last, &writer)
            case .uncertain:
                guard try await catchUp(&last, &writer, checksSession: true) else { return }
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

    /// Sends what is in the rows. False when the session was found to have ended.
    @discardableResult
    private func catchUp(
        _ last: inout Int64, _ writer: inout any ResponseBodyWriter, checksSession: Bool = false
    ) async throws -> Bool {
        while true {
            let found =
                checksSession
                ? try await network.eventsIfOpen(of: caller, after: last, limit: Self.page)
                : try await network.events(of: caller.userID, after: last, limit: Self.page)
            guard let events = found else { return false }
            for event in events { try await send(event, EventHub.frame(event), &last, &writer) }
            if events.count < Self.page { return true }
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
