import Domain
import Hummingbird
import NIOCore
import SafetyNetwork
import TaskWork

struct EventStreamResponse: Sendable {
    private static let page = 100
    let network: SafetyNetwork
    let caller: Caller
    let metrics: Metrics
    /// Runs an action once the recipient has received what was sent.
    let whenSeen: LifeSignalContext.WhenSeen
    let noteStreamed: @Sendable (NotificationID, UserID) -> Void

    func run(
        from start: Events.StreamStart, _ messages: AsyncStream<EventHub.Message>,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var last: Int64
        switch start {
        case .resume(let sequence):
            last = sequence
            try await writer.write(Self.frame("ready", sequence))
        case .reload(let sequence):
            last = sequence
            try await writer.write(Self.frame("reload", sequence))
        }
        try await catchUp(&last, &writer)
        for await message in messages {
            switch message {
            case .keepAlive:
                // Finds events that a full buffer or a lost hint kept from the stream.
                guard try await catchUp(&last, &writer, checksSession: network.events.hasSiblings)
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

    /// Sends the stored events after `last`. Returns false if the session has ended.
    @discardableResult
    private func catchUp(
        _ last: inout Int64, _ writer: inout any ResponseBodyWriter,
        checksSession: Bool = false
    ) async throws -> Bool {
        while true {
            guard let page = try await events(after: last, checksSession: checksSession) else {
                return false
            }
            for event in page.events {
                try await skip(to: event.sequence - 1, &last, &writer)
                try await send(event, EventHub.frame(event), &last, &writer)
            }
            try await skip(to: page.end, &last, &writer)
            if page.isLast { return true }
        }
    }

    /// Asks the client to load everything again if it misses events, which were deleted or can't be
    /// read.
    private func skip(
        to sequence: Int64, _ last: inout Int64, _ writer: inout any ResponseBodyWriter
    ) async throws {
        guard sequence > last else { return }
        last = sequence
        try await writer.write(Self.frame("reload", last))
    }

    /// Returns the stored events; nil if the session has ended.
    private func events(after last: Int64, checksSession: Bool) async throws -> EventPage? {
        try await inChildTask { [network, caller] in
            guard checksSession else {
                return try await network.events.events(
                    of: caller.userID, after: last, limit: Self.page)
            }
            return try await network.events.eventsIfOpen(
                of: caller, after: last, limit: Self.page)
        }
    }

    private func send(
        _ event: StoredEvent, _ frame: ByteBuffer, _ last: inout Int64,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(frame)
        last = event.sequence
        metrics.count(.eventsSent)
        guard let notification = event.notificationID else { return }
        whenSeen { [noteStreamed, user = caller.userID] in noteStreamed(notification, user) }
    }

    private static func frame(_ name: String, _ sequence: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(sequence)\nevent: \(name)\ndata: {\"sequence\":\(sequence)}\n\n")
    }
}
