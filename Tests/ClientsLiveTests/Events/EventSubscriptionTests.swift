import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

/// A stream may be cut, silent or delayed. The subscription neither misses nor repeats an event.
@Suite(.timeLimit(.minutes(5))) struct EventSubscriptionTests {
    private let clock = ManualClock()
    private let server = FakeEventServer()

    private func stream(after: Int64? = nil, room: Int = 256) -> EventSubscription {
        let transport = FakeTransport(stream: server.open) { _, _ in try .problem(.unauthenticated)
        }
        var options = EventSubscription.Options()
        options.room = room
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: clock.client,
            random: { 0 })
        return EventSubscription(connection, after: after, options: options)
    }

    private func ping(_ sequence: Int64) -> StreamSignal {
        .event(.contactChanged(.init(contactID: id(UInt8(sequence)))), sequence: sequence)
    }

    private func listening(_ stream: EventSubscription, _ body: (inout Ear) async throws -> Void)
        async throws
    {
        var ear = Ear(stream.subscribe())
        let running = Task { await stream.run() }
        try await body(&ear)
        running.cancel()
        await running.value
    }

    @Test func theFirstConnectionLoadsEverything() async throws {
        try await listening(stream()) { ear in
            let response = await server.next()
            #expect(response.lastEventID == nil)
            response.ready(5)
            response.event(6)
            response.event(7)
            #expect(await ear.next(4) == [.connected, .reload, ping(6), ping(7)])
        }
    }

    @Test func resumedStreamNeitherMissesNorRepeats() async throws {
        let stream = stream(after: 5)
        try await listening(stream) { ear in
            let first = await server.next()
            #expect(first.lastEventID == "5")
            first.ready(5)
            first.event(6)
            #expect(await ear.next(2) == [.connected, ping(6)])
            first.cut()
            #expect(await ear.next(1) == [.disconnected])
            await clock.pass()
            let second = await server.next()
            #expect(second.lastEventID == "6")
            second.ready(6)
            // A proxy sends stored events a second time.
            second.event(5)
            second.event(6)
            second.event(7)
            #expect(await ear.next(2) == [.connected, ping(7)])
        }
        #expect(stream.lastSequence == 7)
    }

    @Test func cutEventIsDeliveredOnce() async throws {
        try await listening(stream(after: 5)) { ear in
            let first = await server.next()
            first.ready(5)
            first.send("id: 6\nevent: contactChanged\ndata: {\"contact")
            #expect(await ear.next(1) == [.connected])
            first.cut()
            #expect(await ear.next(1) == [.disconnected])
            await clock.pass()
            let second = await server.next()
            #expect(second.lastEventID == "5")
            second.ready(5)
            second.event(6)
            #expect(await ear.next(2) == [.connected, ping(6)])
        }
    }

    @Test func tooOldPositionReloads() async throws {
        let stream = stream(after: 5)
        try await listening(stream) { ear in
            let response = await server.next()
            response.send("id: 90\nevent: reload\ndata: {\"sequence\":90}\n\n")
            response.event(91)
            #expect(await ear.next(3) == [.connected, .reload, ping(91)])
        }
    }

    @Test func lowerSequenceOfRestoredServerIsFollowed() async throws {
        try await listening(stream(after: 50)) { ear in
            let response = await server.next()
            response.send("id: 2\nevent: reload\ndata: {\"sequence\":2}\n\n")
            response.event(3)
            #expect(await ear.next(3) == [.connected, .reload, ping(3)])
        }
    }

    @Test func gapsAndUnreadableEventsReload() async throws {
        let stream = stream(after: 5)
        try await listening(stream) { ear in
            let response = await server.next()
            response.ready(5)
            response.event(8)
            response.send("id: 9\nevent: alert\ndata: {}\n\n")
            response.send("id: 10\nevent: somethingNew\ndata: {}\n\n")
            response.event(11)
            #expect(await ear.next(4) == [.connected, .reload, .reload, ping(11)])
        }
    }

    /// The restored server's numbers are lower than those that the client knows.
    @Test func unreadableStartAndNumberReload() async throws {
        try await listening(stream(after: 50)) { ear in
            let response = await server.next()
            response.send("id: 2\nevent: reload\ndata: {}\n\n")
            response.event(3)
            #expect(await ear.next(2) == [.reload, .reload])
            response.send("id: x\nevent: profileChanged\ndata: {}\n\n")
            response.event(4)
            #expect(await ear.next(2) == [.reload, ping(4)])
        }
    }

    @Test func eventBeforeTheStreamsStartLoadsEverything() async throws {
        try await listening(stream()) { ear in
            let response = await server.next()
            response.event(6)
            response.event(7)
            #expect(await ear.next(2) == [.reload, ping(7)])
        }
    }

    @Test func silenceDisconnectsUnlessCommentsArrive() async throws {
        try await listening(stream(after: 5)) { ear in
            let response = await server.next()
            response.ready(5)
            #expect(await ear.next(1) == [.connected])
            await clock.sleepers()
            for sequence in 6..<9 {
                clock.advance(by: .seconds(44))
                response.send(":\n\n")
                response.event(Int64(sequence))
                #expect(await ear.next(1) == [ping(Int64(sequence))])
                await clock.sleepers()
            }
            clock.advance(by: .seconds(45))
            // The watchdog's sleep may have begun before the last event. The watchdog must then
            // sleep once more.
            #expect(await ear.next(1) == [.disconnected])
            await response.isDropped()
            await clock.pass()
            #expect(await server.next().lastEventID == "8")
        }
    }

    @Test func reconnectBacksOffUntilTheStreamIsOpen() async throws {
        try await listening(stream(after: 5)) { ear in
            var pauses: [Duration] = []
            for _ in 0..<8 {
                await server.next().refuse()
                pauses.append(await clock.pass())
            }
            let longer: [Duration] = [.milliseconds(250), .milliseconds(500)]
            #expect(pauses == longer + [1, 2, 4, 8, 15, 15].map { Duration.seconds($0) })
            #expect(await ear.next(1) == [.disconnected])
            let response = await server.next()
            response.ready(5)
            #expect(await ear.next(1) == [.connected])
            response.cut()
            #expect(await ear.next(1) == [.disconnected])
            #expect(await clock.pass() == .milliseconds(250))
        }
    }

    @Test func streamObeysRetryAfter() async throws {
        try await listening(stream()) { _ in
            await server.next().answer(try .problem(.rateLimited, retryAfter: 30))
            #expect(await clock.pass() == .seconds(30))
        }
    }

    /// Without the cap, a proxy could keep alerts from a responder for a day.
    @Test func longRetryAfterIsCapped() async throws {
        try await listening(stream()) { _ in
            await server.next().answer(try .problem(.rateLimited, retryAfter: 86_400))
            #expect(await clock.pass() == .seconds(120))
        }
    }

    @Test func endlessRefusalBodyDoesNotBlock() async throws {
        try await listening(stream()) { _ in
            await server.next().answerWithoutEnd(503)
            #expect(await clock.pass() == .milliseconds(250))
        }
    }

    @Test func endedSessionEndsTheStream() async throws {
        let stream = stream()
        var ear = Ear(stream.subscribe())
        let running = Task { await stream.run() }
        await server.next().answer(try .problem(.unauthenticated))
        await running.value
        #expect(await ear.rest() == [.disconnected])
        var late = Ear(stream.subscribe())
        #expect(await late.rest() == [.disconnected])
    }

    @Test func stoppingClosesTheStream() async throws {
        let stream = stream()
        let running = Task { await stream.run() }
        let response = await server.next()
        response.ready(1)
        running.cancel()
        await running.value
        await response.isDropped()
    }
}

struct Ear {
    private var iterator: AsyncStream<StreamSignal>.Iterator

    init(_ signals: AsyncStream<StreamSignal>) { iterator = signals.makeAsyncIterator() }

    mutating func next(_ count: Int) async -> [StreamSignal] {
        var signals: [StreamSignal] = []
        while signals.count < count, let signal = await iterator.next() { signals.append(signal) }
        return signals
    }

    mutating func rest() async -> [StreamSignal] { await next(.max) }
}
