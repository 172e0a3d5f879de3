import Domain
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Keeps many event streams open. Records when each stream received the wanted text.
final class StreamClient: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let arrivals = Mutex<[Int: Date]>([:])
    private let ready = Mutex(0)
    private let needle: [UInt8]

    init(lookingFor needle: String) { self.needle = Array(needle.utf8) }

    func open(_ tokens: [String], port: Int) async throws {
        let before = ready.withLock { $0 }
        for (index, token) in tokens.enumerated() {
            let channel = try await ClientBootstrap(group: group)
                .channelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            Listener(
                                needle: needle, onReady: { [self] in ready.withLock { $0 += 1 } }
                            ) { [self] in arrive(before + index) }
                        )
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            let request =
                """
                GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \
                \(token)\r\n\r\n
                """
            try await channel.writeAndFlush(ByteBuffer(string: request))
        }
        try await wait { [self] in ready.withLock { $0 } == before + tokens.count }
    }

    /// Returns the arrival time on each stream, once all streams have received the text.
    func allArrivals(_ count: Int) async throws -> [Int: Date] {
        try await wait { [self] in arrivals.withLock { $0.count } == count }
        return arrivals.withLock { arrivals in
            defer { arrivals.removeAll() }
            return arrivals
        }
    }

    func close() { try? group.syncShutdownGracefully() }

    private func arrive(_ stream: Int) {
        arrivals.withLock { if $0[stream] == nil { $0[stream] = Date() } }
    }

    private func wait(_ isDone: @Sendable () -> Bool) async throws {
        let start = ContinuousClock.now
        while !isDone() {
            guard ContinuousClock.now - start < .seconds(60) else {
                throw BenchError(
                    """
                    after a minute \(arrivals.withLock { $0.count }) streams had it, \
                    \(ready.withLock { $0 }) were open
                    """
                )
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let needle: [UInt8]
        private let onReady: @Sendable () -> Void
        private let onArrival: @Sendable () -> Void
        private var tail: [UInt8] = []
        private var isReady = false

        init(
            needle: [UInt8], onReady: @escaping @Sendable () -> Void,
            onArrival: @escaping @Sendable () -> Void
        ) {
            self.needle = needle
            self.onReady = onReady
            self.onArrival = onArrival
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = tail + Array(unwrapInboundIn(data).readableBytesView)
            if !isReady, bytes.firstRange(of: Array("event: ready".utf8)) != nil {
                isReady = true
                onReady()
            }
            if bytes.firstRange(of: needle) != nil {
                onArrival()
                tail = []
            } else {
                tail = Array(bytes.suffix(needle.count - 1))
            }
        }
    }
}
