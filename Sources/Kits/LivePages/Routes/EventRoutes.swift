import ComposableArchitecture
import Foundation
import HTTPTypes
import Hummingbird

struct EventBatch: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var n: Int
        /// The part, the index of the handler in the part, and the page's generation.
        var p: String?
        var i: Int?
        var g: Int?
        var v: Value?
        var path: String?

        var event: PageEvent? {
            if let path { return PageEvent(number: n, target: .address(path)) }
            guard let p, let i, let g else { return nil }
            return PageEvent(
                number: n, target: .handler(part: p, index: i, generation: g),
                value: v?.value ?? .none)
        }
    }

    struct Value: Decodable, Sendable {
        var value: EventValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                value = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else {
                value = .text(try container.decode(String.self))
            }
        }
    }

    var view: String
    var events: [Item]
    /// The number from the stream's event `seen`. A visible page confirms the number.
    var seen: Int?
}

struct EventReport: Encodable, Equatable {
    var refused: [Int]
}

extension PageRoutes {
    /// In bytes. A batch with a long text of `EventValue.longTextLimit` and 49 other events fits.
    private static var batchLimit: Int { 128 * 1024 }
    /// The maximum number of events in a batch. The page's script never sends more.
    private static var eventLimit: Int { 50 }
    /// How long an answer waits for an act to be stored. The page's script waits for 10 seconds.
    private static var longestStore: Duration { .seconds(8) }

    func addEvents<Context: PageContext>(to router: Router<Context>) {
        onSession(.post, "/web/events", on: router) { call in
            let batch = try await call.request.json(
                EventBatch.self, limit: Self.batchLimit, on: call.session.resources.executor)
            let events = batch.events.compactMap(\.event)
            guard events.count == batch.events.count, events.count <= Self.eventLimit else {
                throw PageError.unreadableBody
            }
            if let seen = batch.seen {
                guard await call.session.admits(batch.view) else { throw PageError.noSession }
                await call.session.confirmSight(seen, from: batch.view)
            }
            return try await answer(events, from: batch.view, call)
        }
        // The path and query are `/web/files/{part}.{index}?view=…&generation=…&number=…`. The body
        // is the file.
        onSession(.post, "/web/files/{action}", on: router) { call in
            let action = (call.parameters.get("action") ?? "").split(separator: ".")
            let query = call.request.uri.queryParameters
            guard action.count == 2, let index = Int(action[1]),
                let view = query["view"].map(String.init),
                let generation = query["generation"].flatMap({ Int($0) }),
                let number = query["number"].flatMap({ Int($0) })
            else {
                throw PageError.unreadable(field: "action", "This is not what a page sends.")
            }
            let target = PageEvent.Target.handler(
                part: String(action[0]), index: index, generation: generation)
            return try await answer(
                PageEvent(number: number, target: target, value: .bytes(Data())), from: view, call)
        }
    }

    /// Reads the file of an event if the page has a handler for the event. Skips the body
    /// otherwise.
    private func answer(_ event: PageEvent, from view: String, _ call: Call) async throws
        -> Response
    {
        guard await call.session.admits(view) else { throw PageError.noSession }
        guard await call.session.awaitsFile(event, from: view) else {
            return try await answer([event], from: view, call)
        }
        // Allows one extra byte, so that the feature can tell that the file is too large.
        let limit = EventValue.bytesLimit + 1
        let announced = call.request.headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw PageError.tooLarge(limitInBytes: limit) }
        // Reserves the limit for a chunked body, because its length is unknown.
        let size = call.request.headers[.transferEncoding] == nil ? announced ?? limit : limit
        let holder = await call.session.outline.user
        let isCounted = bodies.map { size > $0.smallBody } ?? false
        if isCounted, bodies?.take(size, for: holder) == false { throw PageError.tooManyFiles }
        defer { if isCounted { bodies?.giveBack(size, of: holder) } }
        var event = event
        event.value = .bytes(try await call.request.bytes(limit: limit))
        return try await answer([event], from: view, call)
    }

    /// Returns 204 if all events were accepted, and an act that the browser keeps is stored.
    /// Otherwise returns 200 with the numbers of the rejected events. Returns 410 if the page is
    /// unknown; the page then opens a new stream.
    private func answer(_ events: [PageEvent], from view: String, _ call: Call) async throws
        -> Response
    {
        guard await call.session.admits(view) else { throw PageError.noSession }
        // A request without events only checks that the session exists. Content comes through the
        // stream.
        guard !events.isEmpty else { return Response(status: .noContent) }
        let (session, limit) = (call.session, Self.longestStore)
        let outcomes: Result<[PageEventResult]?, PageError> = await session.onExecutor {
            do throws(PageError) {
                return .success(try await session.take(events, from: view, within: limit))
            } catch {
                return .failure(error)
            }
        }
        guard let outcomes = try outcomes.get() else { return Response(status: .gone) }
        let refused = zip(events, outcomes).filter { $0.1 == .refused }.map(\.0.number)
        return refused.isEmpty
            ? Response(status: .noContent) : try Response.json(EventReport(refused: refused))
    }
}
