import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPServer

/// Connections that hold a place without using it, against a clock that the test turns.
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

    @Test func whoConnectsAndAsksForNothingIsCutOffAfterTwentySeconds() {
        loop.advanceTime(by: .milliseconds(19_999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func aRequestThatNeverEndsIsCutOffAfterTwentySeconds() throws {
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

    @Test func aLargeBodyOnASlowConnectionGetsASecondForEveryFiftyThousandBytes() throws {
        try receive(head)
        for _ in 0..<60 {
            try receive(body(60_000))
            loop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        // 3,600,000 bytes have earned 72 seconds beyond the 20; then it has to end.
        loop.advanceTime(by: .seconds(31))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aRequestThatEndedInTimeMayBeAnsweredAtLeisure() throws {
        try receive(head)
        loop.advanceTime(by: .seconds(19))
        try receive(.end(nil))
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test func eachRequestOfAConnectionHasItsOwnTime() throws {
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

    @Test func aBodyWithoutAnEndIsNotReadBeyondSevenMegabytes() throws {
        try receive(head)
        for _ in 0..<7 { try receive(body(1_000_000)) }
        #expect(channel.isActive)
        try receive(body(1))
        #expect(!channel.isActive)
    }

    @Test func theBytesOfOneRequestDoNotCountForTheNext() throws {
        for _ in 0..<3 {
            try receive(head)
            for _ in 0..<6 { try receive(body(1_000_000)) }
            try receive(.end(nil))
        }
        #expect(channel.isActive)
    }

    @Test func aReaderThatDoesNotReadIsCutOffAfterTwentySeconds() throws {
        try receive(head)
        try receive(.end(nil))
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .milliseconds(19_999))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func aReaderThatReadsAgainIsKept() throws {
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

    @Test func aReaderOnASlowConnectionIsKeptAsLongAsItReads() throws {
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

    @Test func whoListensToAStreamAndClosesItsHalfHasLeft() throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test func whoWaitsForAnAnswerAndClosesItsHalfGetsIt() throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(channel.isActive)
    }
}

/// Stands for the HTTP encoder: what waits to be sent are bytes.
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
