import Foundation
import NIOCore
import NIOPosix

/// A mail server on this machine, without TLS, that can be slow or silent.
public final class MailListener: Sendable {
    public let port: Int
    private let channel: any Channel

    /// - Parameters:
    ///   - delay: the seconds before the greeting.
    ///   - unanswered: the lines without an answer, such as "QUIT" or the "." that ends a message.
    public init(greetingAfter delay: Int64 = 0, silentAfter unanswered: Set<String> = [])
        async throws
    {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Session(greetingAfter: .seconds(delay), silentAfter: unanswered))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    public func close() async throws { try await channel.close() }

    private final class Session: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let delay: TimeAmount
        private let unanswered: Set<String>
        private var received = ""
        private var isInMessage = false

        init(greetingAfter delay: TimeAmount, silentAfter unanswered: Set<String>) {
            self.delay = delay
            self.unanswered = unanswered
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            context.eventLoop.scheduleTask(in: delay) {
                channel.writeAndFlush(ByteBuffer(string: "220 mail.example\r\n"), promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            var lines = received.components(separatedBy: "\r\n")
            received = lines.removeLast()
            for line in lines {
                guard let answer = answer(to: line), !unanswered.contains(line) else { continue }
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(string: answer + "\r\n")), promise: nil)
            }
        }

        private func answer(to line: String) -> String? {
            if isInMessage {
                guard line == "." else { return nil }
                isInMessage = false
                return "250 OK"
            }
            isInMessage = line == "DATA"
            return isInMessage ? "354 Go ahead" : "250 OK"
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
