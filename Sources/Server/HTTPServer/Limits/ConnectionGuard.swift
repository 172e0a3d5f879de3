import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Cuts off connections that hold a place without using it: a request that does not arrive in time
/// or never ends, and a reader that does not read. Idle connections between requests are
/// Hummingbird's to close.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A whole request, head and body, has this long.
    static let requestTime: TimeAmount = .seconds(20)
    /// Bytes that the other side does not take for this long end the connection.
    static let stalledWriteTime: TimeAmount = .seconds(20)
    /// More than any body that is accepted: beyond it not even the rest of a refused one is read.
    private static let bodyLimit = 7_000_000

    /// A body that comes faster than this gets the time it needs: a picture over a slow
    /// connection, not a trickle.
    private static let bytesPerSecond = 50_000

    private let requestTime: TimeAmount
    private let stalledWriteTime: TimeAmount
    private var reading: Scheduled<Void>?
    private var writing: Scheduled<Void>?
    private var bodyBytes = 0
    private var isStreaming = false

    init(
        requestTime: TimeAmount = ConnectionGuard.requestTime,
        stalledWriteTime: TimeAmount = ConnectionGuard.stalledWriteTime
    ) {
        self.requestTime = requestTime
        self.stalledWriteTime = stalledWriteTime
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The first request has to come as soon as any other has to be whole.
        if context.channel.isActive { reading = closing(context, in: requestTime) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if reading == nil { reading = closing(context, in: requestTime) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Answers to a CONNECT request would be taken for the tunnel's end.
            if head.method == .connect { return context.close(promise: nil) }
            bodyBytes = 0
            reading?.cancel()
            reading = closing(context, in: requestTime)
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > Self.bodyLimit { return context.close(promise: nil) }
        case .end:
            reading?.cancel()
            reading = nil
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writing?.cancel()
        writing = nil
        if !context.channel.isWritable { waitForReader(context, waiting: waitingBytes(context)) }
        context.fireChannelWritabilityChanged()
    }

    /// Closes when nothing at all was taken meanwhile: a picture on a slow connection takes
    /// longer, and moves.
    private func waitForReader(_ context: ChannelHandlerContext, waiting bytes: Int) {
        writing = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(
            in: stalledWriteTime
        ) {
            let left = self.waitingBytes(context)
            guard left < bytes else { return context.close(promise: nil) }
            self.waitForReader(context, waiting: left)
        }
    }

    /// Bytes written that the connection has not taken yet.
    private func waitingBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            isStreaming = head.headerFields[.contentType] == "text/event-stream"
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client may stop sending and still wait for its answer; one that listens to a stream and
        // closes has left.
        if isStreaming, let event = event as? ChannelEvent, event == .inputClosed {
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
    }

    /// Closes when the time is over, unless a large body has come fast enough all along to deserve
    /// more of it.
    private func closing(_ context: ChannelHandlerContext, in time: TimeAmount, earned: Int = 0)
        -> Scheduled<Void>
    {
        context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: time) {
            let seconds = self.bodyBytes / Self.bytesPerSecond
            guard seconds > earned else { return context.close(promise: nil) }
            self.reading = self.closing(
                context, in: .seconds(Int64(seconds - earned)), earned: seconds)
        }
    }
}
