import API
import ClientsLive
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import HTTPServer
@testable import InProcessTransport

@Suite(.timeLimit(.minutes(5))) struct RouterStreamTests {
    private let app: TestApp

    init() throws { app = try TestApp(.memory, limits: .production) }

    /// A transport that can cut the bodies of all streams.
    private final class CuttingTransport: Transport {
        private let base: InProcessTransport
        private let readers = Mutex<[AsyncThrowingStream<Data, any Error>.Continuation]>([])

        init(_ base: InProcessTransport) { self.base = base }

        func cut() {
            for reader in readers.withLock({ readers in
                defer { readers = [] }
                return readers
            }) { reader.finish(throwing: ClientFailure.unreachable(.interrupted)) }
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await base.send(request)
        }

        func stream(_ request: TransportRequest) async throws -> TransportStream {
            var stream = try await base.stream(request)
            let (body, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            let forwarding = Task { [source = stream.body] in
                do {
                    for try await bytes in source { continuation.yield(bytes) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in forwarding.cancel() }
            readers.withLock { $0.append(continuation) }
            stream.body = body
            return stream
        }
    }

    private func checkIn(_ connection: Connection) async throws {
        app.time.pass(.seconds(1))
        _ = try await connection.call(
            Routes.checkIn, CheckInRequest(occurredAt: app.time.now), id: UUID())
    }

    @Test func aStreamThatIsCutMissesAndRepeatsNothing() async throws {
        let transport = CuttingTransport(app.transport)
        let clock = ClientClock(SkippingClock())
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(), clock: clock, random: { 0 })
        try await app.signIn(connection)
        let stream = EventSubscription(connection)
        var signals = stream.subscribe().makeAsyncIterator()
        let running = Task { await stream.run() }
        #expect(await signals.next() == .connected)
        #expect(await signals.next() == .reload)
        var expected = (stream.lastSequence ?? 0) + 1
        for round in 0..<20 {
            try await checkIn(connection)
            if round % 3 == 0 { transport.cut() }
            try await checkIn(connection)
            var seen = 0
            while seen < 2, let signal = await signals.next() {
                guard case .event(.checkIn, let sequence) = signal else { continue }
                #expect(sequence == expected)
                expected += 1
                seen += 1
            }
        }
        running.cancel()
        await running.value
        // The server unregisters a closed stream.
        while app.hub.streamCount > 0 { await Task.yield() }
    }

    @Test func cancellingTheReaderUnregistersIt() async throws {
        let store = MemoryTokenStore()
        let connection = app.connection(store: store)
        try await app.signIn(connection)
        let token = try #require(store.load()).accessToken
        let request = TransportRequest(
            method: .get, path: Routes.events.path, headers: ["Authorization": "Bearer \(token)"])
        let transport = app.transport
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            for try await _ in try await transport.stream(request).body { hasBegun.yield() }
        }
        for await _ in begun { break }
        #expect(app.hub.streamCount == 1)
        reading.cancel()
        _ = await reading.result
        while app.hub.streamCount > 0 { await Task.yield() }
        // The server also unregisters a stream that is released without being read.
        do { #expect(try await transport.stream(request).status == 200) }
        while app.hub.streamCount > 0 { await Task.yield() }
    }

    @Test func theServersEndIsTheStreamsEnd() async throws {
        let connection = app.connection()
        try await app.signIn(connection)
        let stream = EventSubscription(connection)
        var signals = stream.subscribe().makeAsyncIterator()
        let running = Task { await stream.run() }
        #expect(await signals.next() == .connected)
        #expect(await signals.next() == .reload)
        try await connection.signOut()
        #expect(await signals.next() == .disconnected)
        #expect(await signals.next() == nil)
        await running.value
        #expect(app.hub.streamCount == 0)
    }

    @Test func aReaderThatStopsHoldsTheWriterBack() async throws {
        let pipe = BodyPipe()
        let writing = Task {
            for _ in 0..<1_000 {
                try await pipe.write(Data(count: 1_000))
            }
            pipe.finish(nil)
        }
        while !pipe.isHeldBack { await Task.yield() }
        #expect(pipe.waiting <= BodyPipe.room + 1_000)
        var read = 0
        while let chunk = try await pipe.next() { read += chunk.count }
        #expect(read == 1_000_000)
        _ = await writing.result
    }
}

/// A clock whose short sleeps end immediately, because they are pauses between attempts. Its long
/// sleeps, which detect silence, never end.
private struct SkippingClock: Clock {
    typealias Instant = ContinuousClock.Instant
    var now: Instant { ContinuousClock().now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) > .seconds(40) else { return try Task.checkCancellation() }
        try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
}
