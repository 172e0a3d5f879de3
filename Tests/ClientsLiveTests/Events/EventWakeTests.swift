import API
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A suspended app gets the missed events as soon as it becomes active.
@Suite(.timeLimit(.minutes(5))) struct EventWakeTests {
    private let clock = ManualClock()
    private let server = FakeEventServer()

    private func running(
        _ options: EventSubscription.Options = .init(),
        _ body: (EventSubscription, inout Ear) async throws -> Void
    ) async throws {
        let transport = FakeTransport(stream: server.open) { _, _ in
            try .problem(.unauthenticated)
        }
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: clock.client,
            random: { 0 })
        let events = EventSubscription(connection, after: 5, options: options)
        var ear = Ear(events.subscribe())
        let running = Task { await events.run() }
        try await body(events, &ear)
        running.cancel()
        await running.value
    }

    @Test func wakingReopensASilentStreamAtOnce() async throws {
        try await running { events, ear in
            let first = await server.next()
            first.ready(5)
            #expect(await ear.next(1) == [.connected])
            await clock.sleepers()
            clock.advance(by: EventSubscription.Options().heartbeat + .milliseconds(1))
            events.wake()
            #expect(await ear.next(1) == [.disconnected])
            // The client reconnects without waiting.
            let second = await server.next()
            #expect(second.lastEventID == "5")
            second.ready(5)
            #expect(await ear.next(1) == [.connected])
        }
    }

    @Test func wakingKeepsAnActiveStream() async throws {
        try await running { events, ear in
            let first = await server.next()
            first.ready(5)
            #expect(await ear.next(1) == [.connected])
            await clock.sleepers()
            clock.advance(by: EventSubscription.Options().heartbeat)
            events.wake()
            first.event(6)
            let event = StreamSignal.event(.contactChanged(.init(contactID: id(6))), sequence: 6)
            #expect(await ear.next(1) == [event])
        }
    }

    @Test func wakingKeepsASilentStreamOfThisProcess() async throws {
        var options = EventSubscription.Options()
        options.isRemote = false
        try await running(options) { events, ear in
            let first = await server.next()
            first.ready(5)
            #expect(await ear.next(1) == [.connected])
            await clock.sleepers()
            clock.advance(by: options.heartbeat + .milliseconds(1))
            events.wake()
            first.event(6)
            let event = StreamSignal.event(.contactChanged(.init(contactID: id(6))), sequence: 6)
            #expect(await ear.next(1) == [event])
        }
    }

    @Test func wakingEndsTheBackOff() async throws {
        try await running { events, ear in
            let first = await server.next()
            first.refuse()
            #expect(await ear.next(1) == [.disconnected])
            await clock.sleepers()
            events.wake()
            let second = await server.next()
            second.ready(5)
            #expect(await ear.next(1) == [.connected])
        }
    }

    @Test func wakingKeepsRetryAfter() async throws {
        try await running { (events, ear) async throws in
            let first = await server.next()
            first.answer(TransportResponse(status: 503, headers: ["retry-after": "60"]))
            #expect(await ear.next(1) == [.disconnected])
            await clock.sleepers()
            events.wake()
            #expect(clock.waits == [.seconds(60)])
            clock.advance(by: .seconds(60))
            let second = await server.next()
            second.ready(5)
            #expect(await ear.next(1) == [.connected])
        }
    }
}
