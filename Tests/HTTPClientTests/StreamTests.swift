import Foundation
import Synchronization
import TCPListener
import Testing

@testable import HTTPClient

/// Tests bodies that never end, and transfers that are cancelled.
@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private let client = HTTPClient(allowsPrivateAddresses: true)
    private static let open = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private func get(_ listener: Listener, timeout: Duration = .seconds(10)) throws
        -> OutgoingRequest
    {
        OutgoingRequest(method: "GET", url: try listener.url(), timeout: timeout)
    }

    @Test func theBodyComesAsItIsSent() async throws {
        let listener = try await Listener(answer: Self.open + "event: ready\n\n")
        let stream = try await client.stream(get(listener))
        #expect(stream.head.status == 200)
        #expect(stream.head.headers["content-type"] == "text/event-stream")
        var iterator = stream.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("event: ready\n\n".utf8))
        try await listener.close()
    }

    @Test func droppingAStreamLetsGoOfItsConnection() async throws {
        let listener = try await Listener(answer: Self.open + "x")
        do { _ = try await client.stream(get(listener)) }
        await listener.isOpen(0)
        try await listener.close()
    }

    @Test func cancellingTheReaderLetsGoOfItsConnection() async throws {
        let listener = try await Listener(answer: Self.open + "x")
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let reading = Task { [client] in
            for try await _ in try await client.stream(get(listener)).body { hasBegun.yield() }
        }
        for await _ in begun { break }
        reading.cancel()
        _ = await reading.result
        await listener.isOpen(0)
        try await listener.close()
    }

    @Test func cancellingARequestEndsIt() async throws {
        let listener = try await Listener(answer: nil)
        let sending = Task { [client] in
            try await client.send(get(listener, timeout: .seconds(120)))
        }
        await listener.isOpen(1)
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        await listener.isOpen(0)
        try await listener.close()
    }

    @Test func whatIsCancelledBeforeItBeginsIsNotSent() async throws {
        let listener = try await Listener(answer: nil)
        let sending = Task { [client] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(get(listener))
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(listener.requests.isEmpty)
        try await listener.close()
    }

    @Test func aHeadThatDoesNotComeTimesOut() async throws {
        let listener = try await Listener(answer: nil)
        await #expect(throws: HTTPClientError.timedOut) {
            try await client.stream(get(listener, timeout: .milliseconds(200)))
        }
        await listener.isOpen(0)
        try await listener.close()
    }

    @Test func theTimeoutOfAStreamIsForItsHeadAlone() async throws {
        let listener = try await Listener(answer: Self.open + "x")
        let stream = try await client.stream(get(listener, timeout: .seconds(5)))
        var iterator = stream.body.makeAsyncIterator()
        _ = try await iterator.next()
        // The stream lasts longer than its timeout. Another request, which times out, shows that
        // the time has passed.
        let silent = try await Listener(answer: nil)
        await #expect(throws: HTTPClientError.timedOut) {
            try await client.send(get(silent, timeout: .seconds(6)))
        }
        listener.cut()
        await #expect(throws: Never.self) { while try await iterator.next() != nil {} }
        try await silent.close()
        try await listener.close()
    }

    @Test func anAnswerThatIsCutIsNoAnswer() async throws {
        let listener = try await Listener(answer: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
        let sending = Task { [client] in try await client.send(get(listener)) }
        await listener.isOpen(1)
        while listener.requests.isEmpty { await Task.yield() }
        listener.cut()
        await #expect(throws: HTTPClientError.interrupted) { try await sending.value }
        try await listener.close()
    }

    @Test func aSlowReaderHoldsTheSenderBack() async throws {
        let size = 40_000_000
        let listener = try await Listener(
            answer: "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
                + String(repeating: "x", count: size))
        let exchange = Exchange(limitsWholeTransfer: false)
        let engine = TransferEngine.Owner(
            .init(allowed: .all, connections: 4))
        engine.start(try get(listener), exchange)
        _ = try await exchange.head()
        while !exchange.isPaused { await Task.yield() }
        #expect(exchange.waiting <= Exchange.highWater + 256 * 1024)
        var read = 0
        while let chunk = try await exchange.next() { read += chunk.count }
        #expect(read == size)
        try await listener.close()
    }
}
