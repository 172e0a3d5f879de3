import API
import Domain
import Foundation
import HTTPClient

/// A device that listens to its event stream (the EventSource format of the HTML standard).
final class EventListener: Sendable {
    struct Event: Sendable {
        var kind: String
        var data: String
        var arrivedAt: Date

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try WireJSON.decoder().decode(type, from: Data(data.utf8))
        }
    }

    private let events: AsyncStream<Event>
    private let reading: Task<Void, Never>

    init(server: URL, token: String?) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        let request = OutgoingRequest(
            method: "GET", url: server.appendingPathComponent(Routes.events.path),
            headers: [("Authorization", "Bearer \(token ?? "")")],
            timeout: .seconds(20)
        )
        reading = Task {
            defer { continuation.finish() }
            var parser = EventParser()
            guard let stream = try? await HTTPClient(allowsPrivateAddresses: true).stream(request)
            else { return }
            do {
                for try await bytes in stream.body {
                    for event in parser.read(bytes, at: Date()) { continuation.yield(event) }
                }
            } catch {
                // A cut line ends the events; whoever waits for one is told that it did not come.
            }
        }
    }

    func stop() { reading.cancel() }

    /// The next event that is wanted; those before it are passed over. Throws when it does not come
    /// in time.
    func next(within patience: Duration, where isWanted: @escaping @Sendable (Event) -> Bool)
        async throws -> Event
    {
        try await withThrowingTaskGroup(of: Event?.self) { group in
            group.addTask { [events] in await events.first(where: isWanted) }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            let event = try await group.next() ?? nil
            group.cancelAll()
            guard let event else {
                throw Failure("the event stream did not bring what was expected")
            }
            return event
        }
    }
}

/// Puts events together from the bytes of a stream.
private struct EventParser {
    private var rest = Data()
    private var kind = ""
    private var data = ""

    mutating func read(_ bytes: Data, at now: Date) -> [EventListener.Event] {
        rest += bytes
        var events: [EventListener.Event] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = Data(rest[rest.index(after: end)...])
            if line.isEmpty {
                if !kind.isEmpty { events.append(.init(kind: kind, data: data, arrivedAt: now)) }
                kind = ""
                data = ""
            } else if line.hasPrefix("event: ") {
                kind = String(line.dropFirst(7))
            } else if line.hasPrefix("data: ") {
                data += line.dropFirst(6)
            }
        }
        return events
    }
}
