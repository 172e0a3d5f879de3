import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@testable import HTTPServer

/// Clients occupy connections without using them. The test controls the clock.
@Suite struct ConnectionGuardTests {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(
            handlers: [
                BytesOfBodies(),
                ConnectionGuard(requestTime: .seconds(20), stalledWriteTime: .seconds(20)),
            ], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    private func receive(_ part: HTTPRequestPart) throws { try channel.writeInbound(part) }
    private var head: HTTPRequestPart {
        .head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))
    }
    private func body(_ count: Int) -> HTTPRequestPart {
        .body(ByteBuffer(repeating: 0x20, count: count))
    }

    @Test func connectionWithoutARequestIsClosedAfterTwentySeconds() {
        loop.advanceTime(by: .milliseconds(19_999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func incompleteRequestIsClosedAfterTwentySeconds() throws {
        try receive(head)
        for _ in 0..<19 {
            loop.advanceTime(by: .seconds(1))
            try receive(body(1))
            #expect(channel.isActive)
        }
        loop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func slowLargeBodyEarnsOneSecondPer50000Bytes() throws {
        try receive(head)
        for _ in 0..<60 {
            try receive(body(60_000))
            loop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        // A body of 3,600,000 bytes adds 72 seconds to the initial 20.
        loop.advanceTime(by: .seconds(31))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func answerToACompleteRequestHasNoTimeLimit() throws {
        try receive(head)
        loop.advanceTime(by: .seconds(19))
        try receive(.end(nil))
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test func eachRequestHasItsOwnTimeLimit() throws {
        for _ in 0..<5 {
            try receive(head)
            loop.advanceTime(by: .seconds(19))
            try receive(.end(nil))
        }
        #expect(channel.isActive)
        try receive(head)
        loop.advanceTime(by: .seconds(20))
        #expect(!channel.isActive)
    }

    @Test func bodyIsReadUpToSevenMegabytes() throws {
        try receive(head)
        for _ in 0..<7 { try receive(body(1_000_000)) }
        #expect(channel.isActive)
        try receive(body(1))
        #expect(!channel.isActive)
    }

    @Test func bodyBytesAreCountedPerRequest() throws {
        for _ in 0..<3 {
            try receive(head)
            for _ in 0..<6 { try receive(body(1_000_000)) }
            try receive(.end(nil))
        }
        #expect(channel.isActive)
    }

    @Test func stalledReaderIsClosedAfterTwentySeconds() throws {
        try receive(head)
        try receive(.end(nil))
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .milliseconds(19_999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func readerThatResumesIsKept() throws {
        try receive(head)
        try receive(.end(nil))
        for _ in 0..<3 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .seconds(19))
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test func slowReaderIsKeptWhileItReads() throws {
        try receive(head)
        try receive(.end(nil))
        channel.pipeline.write(
            HTTPResponsePart.body(ByteBuffer(repeating: 0x20, count: 100)), promise: nil)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .seconds(19))
        channel.pipeline.flush()
        loop.advanceTime(by: .seconds(20))
        #expect(channel.isActive, "something was taken within the first twenty seconds")
        loop.advanceTime(by: .seconds(20))
        #expect(!channel.isActive, "nothing was taken within the next")
    }

    @Test func streamEndsWhenItsClientClosesItsHalf() throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test func requestIsAnsweredAfterItsClientClosesItsHalf() throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(channel.isActive)
    }
}

@Suite struct ConnectionPlaceTests {
    private let loop = EmbeddedEventLoop()
    private let time = TestInstant()

    private func registry(total: Int) -> ConnectionRegistry {
        ConnectionRegistry(
            ConnectionBounds(total: total, perAddress: nil), now: { [time] in time.now })
    }

    private func connect(_ registry: ConnectionRegistry) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ConnectionGuard(registry: registry), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    private func head(of channel: EmbeddedChannel) throws -> HTTPResponse? {
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part { return head }
        }
        return nil
    }

    private let request = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"))
    private let answer = HTTPResponsePart.head(HTTPResponse(status: .ok))

    @Test func connectionToAFullServerGets503AndIsClosed() throws {
        let registry = registry(total: 8)
        let others = try (0..<8).map { _ in try connect(registry) }
        let refused = try connect(registry)
        let head = try #require(try head(of: refused))
        #expect(head.status == .serviceUnavailable)
        #expect(head.headerFields[.connection] == "close" && head.headerFields[.retryAfter] == "5")
        // The server doesn't read the request on a refused connection.
        try refused.writeInbound(request)
        #expect(try refused.readInbound(as: HTTPRequestPart.self) == nil)
        loop.advanceTime(by: ConnectionGuard.lingerTime)
        #expect(!refused.isActive)
        #expect(others.allSatisfy(\.isActive) && registry.count == 8)
    }

    @Test func closedConnectionFreesItsPlace() throws {
        let registry = registry(total: 1)
        try connect(registry).close().wait()
        loop.run()
        #expect(registry.count == 0)
        let next = try connect(registry)
        #expect(try head(of: next) == nil && next.isActive)
    }

    @Test func idleConnectionIsClosedForANewOne() throws {
        let registry = registry(total: 1)
        let idle = try connect(registry)
        try idle.writeInbound(request)
        try idle.writeInbound(HTTPRequestPart.end(nil))
        try idle.writeOutbound(answer)
        try idle.writeOutbound(HTTPResponsePart.end(nil))
        time.wait(.seconds(1))
        let new = try connect(registry)
        #expect(!idle.isActive && new.isActive)
    }

    @Test func connectionWaitingForAnAnswerIsKept() throws {
        let registry = registry(total: 1)
        let waiting = try connect(registry)
        try waiting.writeInbound(request)
        try waiting.writeInbound(HTTPRequestPart.end(nil))
        try waiting.writeOutbound(answer)
        time.wait(.seconds(60))
        _ = try connect(registry)
        #expect(waiting.isActive)
    }

    @Test func earlyAnswerLeavesTheConnectionIdle() throws {
        let registry = registry(total: 1)
        let early = try connect(registry)
        try early.writeInbound(request)
        try early.writeOutbound(answer)
        try early.writeOutbound(HTTPResponsePart.end(nil))
        try early.writeInbound(HTTPRequestPart.end(nil))
        time.wait(.seconds(1))
        let new = try connect(registry)
        #expect(!early.isActive && new.isActive)
    }
}

private final class TestInstant: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func wait(_ duration: Duration) { instant.withLock { $0 += duration } }
}

/// An HTTP encoder that writes only the bytes of bodies.
private final class BytesOfBodies: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(let bytes) = unwrapOutboundIn(data) else {
            return promise?.succeed() ?? ()
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}
