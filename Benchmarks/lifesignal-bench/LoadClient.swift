import Domain
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Connections that each send their next request as soon as the last is answered.
final class LoadClient: Sendable {
    struct Result: Sendable {
        var perSecond: Double
        /// The time from request to answer, in seconds.
        var latencies: [Double]
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let port: Int

    init(port: Int) { self.port = port }

    func close() { try? group.syncShutdownGracefully() }

    /// - Parameters:
    ///   - count: the maximum number of requests per connection.
    ///   - refusal: a status that counts as an answer in addition to 200; nil if only 200 counts.
    ///   - request: returns the bytes of the next request.
    func run(
        connections: Int, seconds: Double, count: Int = .max, refusal: Int? = nil,
        request: @escaping @Sendable () -> ByteBuffer
    ) async throws -> Result {
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        let recorders = (0..<connections).map { _ in Recorder() }
        var channels: [any Channel] = []
        for recorder in recorders {
            let bootstrap = ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            RequestLoop(
                                request: request, recorder: recorder, deadline: deadline,
                                count: count, refusal: refusal))
                    }
                }
            channels.append(try await bootstrap.connect(host: "127.0.0.1", port: port).get())
        }
        let start = ContinuousClock.now
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(RequestLoop.Begin())
        }
        for channel in channels { try await channel.closeFuture.get() }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let records = recorders.map { $0.take() }
        if let bad = records.compactMap(\.failure).first {
            throw BenchError("the server answered \(bad)")
        }
        let latencies = records.flatMap(\.latencies)
        return Result(perSecond: Double(latencies.count) / elapsed, latencies: latencies)
    }

    final class Recorder: Sendable {
        struct Record: Sendable {
            var latencies: [Double] = []
            var failure: String?
        }
        private let record = Mutex(Record())
        func add(_ latency: Double) { record.withLock { $0.latencies.append(latency) } }
        func fail(_ what: String) { record.withLock { $0.failure = what } }
        func take() -> Record { record.withLock { $0 } }
    }
}

private final class RequestLoop: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Begin: Sendable {}

    private let request: @Sendable () -> ByteBuffer
    private let recorder: LoadClient.Recorder
    private let deadline: ContinuousClock.Instant
    private let refusal: Int?
    private var left: Int
    private var sent = ContinuousClock.now
    private var received = ByteBuffer()

    init(
        request: @escaping @Sendable () -> ByteBuffer, recorder: LoadClient.Recorder,
        deadline: ContinuousClock.Instant, count: Int, refusal: Int?
    ) {
        self.request = request
        self.recorder = recorder
        self.deadline = deadline
        self.refusal = refusal
        left = count
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Begin { next(context) } else { context.fireUserInboundEventTriggered(event) }
    }

    private func next(_ context: ChannelHandlerContext) {
        sent = .now
        guard left > 0, sent < deadline else { return context.close(promise: nil) }
        left -= 1
        context.writeAndFlush(wrapOutboundOut(request()), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard let answer = Answer(received) else { return }
        received.clear()
        if answer.status == 200 || answer.status == refusal {
            recorder.add((ContinuousClock.now - sent) / .seconds(1))
            next(context)
        } else {
            recorder.fail("status \(answer.status)")
            context.close(promise: nil)
        }
    }
}

/// Parses the part of HTTP/1.1 that this server's responses need: the status line and the content
/// length.
private struct Answer {
    let status: Int

    /// Returns nil until the answer is complete.
    init?(_ buffer: ByteBuffer) {
        let view = buffer.readableBytesView
        let endOfHead: [UInt8] = [13, 10, 13, 10]
        guard view.count > 12, let end = view.firstRange(of: endOfHead) else { return nil }
        status = view.dropFirst(9).prefix(3).reduce(0) { $0 * 10 + Int($1) - 48 }
        let name = Array("Content-Length: ".utf8)
        guard let range = view[..<end.lowerBound].firstRange(of: name) else { return nil }
        let length = view[range.upperBound...].prefix { (48...57).contains($0) }.reduce(0) {
            $0 * 10 + Int($1) - 48
        }
        guard view.distance(from: end.upperBound, to: view.endIndex) >= length else { return nil }
    }
}

enum Requests {
    static let live = ByteBuffer(string: "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")

    static func checkIn(of people: [Population.Person]) -> @Sendable () -> ByteBuffer {
        { checkIn(of: people[Int.random(in: 0..<people.count)]) }
    }

    static func checkIn(of person: Population.Person) -> ByteBuffer {
        let body = "{\"occurredAt\":\"\(Timestamp.text(Date()))\"}"
        return ByteBuffer(
            string:
                """
                PUT /v1/check-ins/\(UUID().uuidString) HTTP/1.1\r\nHost: \
                localhost\r\nAuthorization: Bearer \(person.token)\r\n
                """
                    + """
                    Content-Type: application/json\r\nContent-Length: \
                    \(body.utf8.count)\r\n\r\n\(body)
                    """
        )
    }

    static func alert(by person: Population.Person) -> ByteBuffer {
        ByteBuffer(
            string: """
                PUT /v1/alerts/\(UUID().uuidString) HTTP/1.1\r\nHost: localhost\r\n\
                Authorization: Bearer \(person.token)\r\nContent-Length: 0\r\n\r\n
                """)
    }
}

/// Counts the requests of several connections.
final class Turn: Sendable {
    private let number = Mutex(0)

    func next() -> Int {
        number.withLock { number in
            defer { number += 1 }
            return number
        }
    }
}
