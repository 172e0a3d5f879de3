import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Closes the connections of slow clients. A client is slow if it doesn't complete its request or
/// doesn't read its answer in time. If the server is full, answers a new connection with 503.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The time limit for a complete request, head and body.
    static let requestTime: TimeAmount = .seconds(20)
    /// Closes the connection if the client has read nothing for this long.
    static let stalledWriteTime: TimeAmount = .seconds(20)
    /// The server stops reading a body at this size, in bytes. No accepted body is as large.
    private static let bodyLimit = 7_000_000

    /// A body that arrives faster than this, in bytes per second, gets more time. So a picture can
    /// arrive over a slow connection.
    private static let bytesPerSecond = 50_000

    /// How long a refused connection stays open. If it were closed with unread bytes, the client's
    /// kernel would drop the answer.
    static let lingerTime: TimeAmount = .milliseconds(500)

    /// How long an idle connection stays open at a stop, because its next request may be on the
    /// way. The answer to that request then closes the connection.
    static let farewellTime: TimeAmount = .milliseconds(250)
    /// The same for the first request of a connection, which is nearly certain to come.
    static let firstFarewellTime: TimeAmount = .seconds(1)

    private enum Place {
        case none
        case taken(ConnectionRegistry.ID)
        case refused
    }

    private let registry: ConnectionRegistry?
    private var place = Place.none
    private var requestsInProgress = 0
    private var isReading = false
    private let requestTime: TimeAmount
    private let stalledWriteTime: TimeAmount
    private var reading: Scheduled<Void>?
    private var writing: Scheduled<Void>?
    private var bodyBytes = 0
    private var isStreaming = false
    private var hasHadRequest = false
    private var isStopping = false
    private var farewell: Scheduled<Void>?

    init(
        registry: ConnectionRegistry? = nil,
        requestTime: TimeAmount = ConnectionGuard.requestTime,
        stalledWriteTime: TimeAmount = ConnectionGuard.stalledWriteTime
    ) {
        self.registry = registry
        self.requestTime = requestTime
        self.stalledWriteTime = stalledWriteTime
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .none = place { begin(context) }
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        // The first request must start within the time allowed for a complete one.
        if reading == nil { reading = closing(context, in: requestTime) }
        guard let registry else { return }
        let address = NetworkAddress(context.channel.remoteAddress?.ipAddress ?? "unknown")
        let channel = context.channel
        switch registry.open(from: address, close: { channel.close(promise: nil) }) {
        case .admitted(let id):
            place = .taken(id)
            channel.closeFuture.whenComplete { _ in registry.close(id) }
        case .refused(let lingers):
            place = .refused
            if lingers {
                channel.closeFuture.whenComplete { _ in registry.endLingering() }
            }
            refuse(context, lingers: lingers)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, lingers: Bool) {
        let words = "The server has too many connections. Please try again."
        let refusal = ProblemResponse.refusal(
            for: CommandError.unavailable(words), requestID: "none")
        let body = (try? WireJSON.encoder().encode(refusal.problem)) ?? Data()
        let head = HTTPResponse(
            status: .serviceUnavailable,
            headerFields: [
                .connection: "close", .contentType: Problem.contentType,
                .contentLength: "\(body.count)", .retryAfter: "5",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        let channel = context.channel
        // By TLS, nothing is written before the handshake.
        context.eventLoop.scheduleTask(in: Self.lingerTime) { channel.close(promise: nil) }
        guard lingers else {
            return written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }

    private func note(_ phase: ConnectionRegistry.Phase) {
        if case .taken(let id) = place { registry?.move(id, to: phase) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests are complete by now. Any other counts as reading.
        if isReading, requestsInProgress == 1 { note(.reading) }
        context.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .refused = place { return }
        defer { if requestsInProgress > 0 { endFarewell(context) } }
        switch unwrapInboundIn(data) {
        case .head(let head):
            requestsInProgress += 1
            hasHadRequest = true
            isReading = true
            note(.answering)
            // After an answer to CONNECT, the client would use this connection as a tunnel.
            if head.method == .connect { return context.close(promise: nil) }
            bodyBytes = 0
            reading?.cancel()
            reading = closing(context, in: requestTime)
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > Self.bodyLimit { return context.close(promise: nil) }
        case .end:
            isReading = false
            // The server may have answered before the request was complete.
            note(requestsInProgress > 0 ? .answering : .idle)
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

    /// Closes the connection if the client reads no byte within `stalledWriteTime`.
    private func waitForReader(_ context: ChannelHandlerContext, waiting bytes: Int) {
        writing = context.eventLoop.assumeIsolated().scheduleTask(in: stalledWriteTime) {
            let left = self.waitingBytes(context)
            guard left < bytes else { return context.close(promise: nil) }
            self.waitForReader(context, waiting: left)
        }
    }

    private func waitingBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isStreaming = head.headerFields[.contentType] == "text/event-stream"
            guard isStopping, head.status.kind != .informational else { break }
            // The client must not send another request on this connection.
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            // Hummingbird answers invalid HTTP itself. The count stays at 0, because there was no
            // request.
            requestsInProgress = max(0, requestsInProgress - 1)
            if requestsInProgress == 0 { note(.idle) }
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            guard requestsInProgress > 0 || !context.channel.isActive else {
                return waitForLastRequest(context)
            }
        }
        // A client that closes its sending side during a stream has left. Without a stream, it may
        // still wait for an answer.
        if isStreaming, let event = event as? ChannelEvent, event == .inputClosed {
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func waitForLastRequest(_ context: ChannelHandlerContext) {
        farewell = context.eventLoop.assumeIsolated().scheduleTask(
            in: hasHadRequest ? Self.farewellTime : Self.firstFarewellTime
        ) {
            self.endFarewell(context)
        }
    }

    /// Passes on that the server stops: the next handler closes the connection after the requests
    /// in progress.
    private func endFarewell(_ context: ChannelHandlerContext) {
        guard let farewell else { return }
        farewell.cancel()
        self.farewell = nil
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
        farewell?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
        farewell?.cancel()
    }

    /// Closes the connection after `time`. A large body that arrives fast enough gets more time.
    /// - Parameter earned: seconds that the body has already earned.
    private func closing(_ context: ChannelHandlerContext, in time: TimeAmount, earned: Int = 0)
        -> Scheduled<Void>
    {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let seconds = self.bodyBytes / Self.bytesPerSecond
            guard seconds > earned else { return context.close(promise: nil) }
            self.reading = self.closing(
                context, in: .seconds(Int64(seconds - earned)), earned: seconds)
        }
    }
}
