import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Receives webhooks, push messages and traces, and records the arrival of each.
final class WebhookReceiver: Sendable {
    /// The body is empty unless the receiver keeps bodies.
    typealias Arrival = (path: String, time: Date, body: [UInt8])

    let port: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let arrivals: Book

    private final class Book: Sendable {
        let arrivals = Mutex<[Arrival]>([])
    }

    /// - Parameter answers: whether the receiver answers; false simulates a provider that hangs.
    init(
        host: String = "127.0.0.1", answers: Bool = true, keepsBodies: Bool = false
    ) async throws {
        let book = Book()
        arrivals = book
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Taking(book, answers: answers, keepsBodies: keepsBodies))
                }
            }
            .bind(host: host, port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() { try? group.syncShutdownGracefully() }

    /// Waits for this many arrivals. Returns them in order.
    func take(_ count: Int, patience: Duration) async throws -> [Arrival] {
        let start = ContinuousClock.now
        while arrivals.arrivals.withLock({ $0.count }) < count {
            guard ContinuousClock.now - start < patience else {
                throw BenchError(
                    "\(arrivals.arrivals.withLock { $0.count }) of \(count) webhooks came")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return arrivals.arrivals.withLock { $0 }
    }

    private final class Taking: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private static let headEnd = Array("\r\n\r\n".utf8)
        private let book: Book
        private let answers: Bool
        private let keepsBodies: Bool
        private var bytes: [UInt8] = []

        init(_ book: Book, answers: Bool, keepsBodies: Bool) {
            self.book = book
            self.answers = answers
            self.keepsBodies = keepsBodies
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
            while let end = bytes.firstRange(of: Self.headEnd)?.upperBound {
                let head = String(decoding: bytes[..<end], as: UTF8.self)
                let length = head.split(separator: "\r\n")
                    .first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap {
                        Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces))
                    }
                let whole = end + (length ?? 0)
                guard bytes.count >= whole else { return }
                let body = keepsBodies ? Array(bytes[end..<whole]) : []
                bytes.removeFirst(whole)
                let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let time = Date()
                book.arrivals.withLock { $0.append((path, time, body)) }
                guard answers else { continue }
                let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            }
        }
    }
}
