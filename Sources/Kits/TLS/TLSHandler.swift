import NIOCore

/// Speaks TLS on an accepted connection. Must be the first handler of its channel. Closes the
/// connection if the client doesn't speak TLS.
public final class TLSHandler: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    public typealias InboundOut = ByteBuffer
    public typealias OutboundIn = ByteBuffer
    public typealias OutboundOut = ByteBuffer

    private typealias Write = (bytes: ByteBuffer, promise: EventLoopPromise<Void>?)

    private let connection: TLSConnection
    private var isEstablished = false
    /// Nothing can be sent or received any more.
    private var hasFailed = false
    private var hasFinished = false
    private var hasClientFinished = false
    /// Writes since the last flush, or since the begin of the handshake.
    private var waiting = CircularBuffer<Write>()
    private var isFlushWaiting = false

    /// Throws `CertificateError` without memory.
    public init(_ certificate: LiveCertificate) throws {
        connection = try TLSConnection(certificate.context)
    }

    // MARK: From the client

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed, !hasClientFinished else { return }
        do {
            try connection.receive(unwrapInboundIn(data))
            if !isEstablished {
                isEstablished = try connection.shakeHands()
                sendOutgoing(context)
                guard isEstablished else { return }
                if isFlushWaiting { flush(context: context) }
            }
            try read(context)
            sendOutgoing(context)
        } catch {
            fail(context)
        }
    }

    private func read(_ context: ChannelHandlerContext) throws {
        while context.channel.isActive, !hasFailed {
            var bytes = context.channel.allocator.buffer(capacity: 0)
            switch try connection.read(into: &bytes) {
            case .bytes: context.fireChannelRead(wrapInboundOut(bytes))
            case .needsMore: return
            case .closed:
                hasClientFinished = true
                return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The other handlers know it already.
        if hasClientFinished, let event = event as? ChannelEvent, event == .inputClosed { return }
        context.fireUserInboundEventTriggered(event)
    }

    public func channelInactive(context: ChannelHandlerContext) {
        hasFailed = true
        dropWaiting()
        context.fireChannelInactive()
    }

    public func handlerRemoved(context: ChannelHandlerContext) { dropWaiting() }

    // MARK: To the client

    public func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard !hasFailed, !hasFinished else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        waiting.append((unwrapOutboundIn(data), promise))
    }

    public func flush(context: ChannelHandlerContext) {
        guard isEstablished else {
            isFlushWaiting = true
            return
        }
        isFlushWaiting = false
        while let next = waiting.popFirst() {
            guard !hasFailed, !hasFinished else {
                next.promise?.fail(ChannelError.outputClosed)
                continue
            }
            do {
                let bytes = try connection.write(next.bytes, context.channel.allocator)
                context.write(wrapOutboundOut(bytes), promise: next.promise)
            } catch {
                next.promise?.fail(error)
                fail(context)
            }
        }
        context.flush()
    }

    public func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        if mode == .input { return context.close(mode: .input, promise: promise) }
        finish(context)
        // Without this, the connection would stay open until the client closes it.
        let isOver = hasClientFinished || hasFailed || !isEstablished
        context.close(mode: isOver ? .all : mode, promise: promise)
    }

    /// Sends what waits, and that nothing follows.
    private func finish(_ context: ChannelHandlerContext) {
        guard !hasFinished else { return }
        if isEstablished, !hasFailed {
            flush(context: context)
            hasFinished = true
            connection.finish()
            sendOutgoing(context)
        }
        hasFinished = true
        dropWaiting()
    }

    // MARK: Helpers

    private func sendOutgoing(_ context: ChannelHandlerContext) {
        let bytes = connection.takeOutgoing(context.channel.allocator)
        guard bytes.readableBytes > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Tells the client by an alert, and closes the connection.
    private func fail(_ context: ChannelHandlerContext) {
        guard !hasFailed else { return }
        hasFailed = true
        sendOutgoing(context)
        dropWaiting()
        context.close(mode: .all, promise: nil)
    }

    private func dropWaiting() {
        while let next = waiting.popFirst() { next.promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}
