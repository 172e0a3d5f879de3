import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPServer

/// The server stops while connections are open.
@Suite struct ConnectionFarewellTests {
    private let loop = EmbeddedEventLoop()
    private let stops = Stops()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handlers: [ConnectionGuard(), stops], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    private func ask() throws {
        try channel.writeInbound(
            HTTPRequestPart.head(
                HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    /// Returns the value of `Connection` in the answer.
    private func answer() throws -> String? {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        var value: String?
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part { value = head.headerFields[.connection] }
        }
        return value
    }

    private func stop() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    @Test func requestInProgressIsTheLast() throws {
        try ask()
        stop()
        #expect(stops.count == 1)
        #expect(try answer() == "close")
    }

    @Test func firstRequestOnTheWayIsAnswered() throws {
        stop()
        loop.advanceTime(by: .milliseconds(999))
        #expect(stops.count == 0)
        try ask()
        // The next handler has to know the request before it hears of the stop.
        #expect(stops.count == 1 && stops.requestsBefore == 1)
        #expect(try answer() == "close")
        loop.advanceTime(by: .seconds(1))
        #expect(stops.count == 1)
    }

    @Test func idleConnectionIsClosedAfterAQuarterOfASecond() throws {
        try ask()
        #expect(try answer() == nil)
        stop()
        loop.advanceTime(by: .milliseconds(249))
        #expect(stops.count == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(stops.count == 1)
    }

    @Test func nextRequestOnTheWayIsAnswered() throws {
        try ask()
        #expect(try answer() == nil)
        stop()
        loop.advanceTime(by: .milliseconds(249))
        try ask()
        #expect(stops.count == 1 && stops.requestsBefore == 2)
        #expect(try answer() == "close")
    }

    @Test func connectionWithoutARequestIsClosedAfterASecond() {
        stop()
        loop.advanceTime(by: .milliseconds(999))
        #expect(stops.count == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(stops.count == 1)
    }

    @Test func connectionThatClosesMeanwhileHearsNothing() throws {
        stop()
        try channel.close().wait()
        loop.advanceTime(by: .seconds(1))
        #expect(stops.count == 0)
    }

    @Test func informationalAnswerKeepsItsHeaders() throws {
        try ask()
        stop()
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .continue)))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("there is no head")
            return
        }
        #expect(head.headerFields[.connection] == nil)
    }
}

/// Counts the stops that the guard passes on.
private final class Stops: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private(set) var count = 0
    private(set) var requestsBefore = 0
    private var requests = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { requests += 1 }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        count += 1
        requestsBefore = requests
    }
}
