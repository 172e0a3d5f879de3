import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// The process has few free file descriptors, or none.
@Suite struct AcceptGateTests {
    private let loop = EmbeddedEventLoop()
    private let reads = Reads()
    private let errors = Errors()
    private let room = Room()
    private let channel: EmbeddedChannel

    init() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let gate = AcceptGate(logger: logger, hasRoom: { [room] in room.isFree })
        channel = EmbeddedChannel(handlers: [reads, gate, errors], loop: loop)
    }

    /// Whether NIO watches the socket.
    private var isAccepting: Bool {
        let set = channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }
        return set?.value as? Bool ?? true
    }

    private func fail(_ code: CInt) {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept4"))
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func shortageIsAPause(code: CInt) {
        fail(code)
        #expect(!isAccepting)
        loop.advanceTime(by: AcceptGate.pause - .nanoseconds(1))
        #expect(!isAccepting)
        loop.advanceTime(by: .nanoseconds(1))
        #expect(isAccepting)
        fail(code)
        #expect(!isAccepting)
        loop.advanceTime(by: AcceptGate.pause)
        #expect(isAccepting && errors.count == 0)
    }

    @Test func otherErrorsGoOn() {
        fail(EBADF)
        #expect(isAccepting && errors.count == 1)
    }

    @Test func departedClientIsNoError() {
        fail(ECONNABORTED)
        #expect(isAccepting && errors.count == 0)
    }

    @Test func gateWaitsForRoom() {
        let before = reads.count
        channel.read()
        #expect(reads.count == before + 1)
        room.isFree = false
        channel.read()
        channel.read()
        loop.advanceTime(by: AcceptGate.pause)
        #expect(reads.count == before + 1)
        room.isFree = true
        loop.advanceTime(by: AcceptGate.pause - .nanoseconds(1))
        #expect(reads.count == before + 1)
        loop.advanceTime(by: .nanoseconds(1))
        #expect(reads.count == before + 2)
        loop.advanceTime(by: .seconds(1))
        #expect(reads.count == before + 2)
    }

    @Test func reserveIsOutOfReach() {
        #expect(Descriptors.areFree(above: 0))
        #expect(!Descriptors.areFree(above: .max))
    }

    @Test func shutGateStaysShutAfterAShortage() throws {
        fail(EMFILE)
        room.isFree = false
        channel.read()
        try channel.triggerUserOutboundEvent(AcceptGate.Order.shut).wait()
        room.isFree = true
        let before = reads.count
        loop.advanceTime(by: .seconds(1))
        channel.read()
        #expect(!isAccepting && reads.count == before)
    }
}

private final class Room {
    var isFree = true
}

private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = Never
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

private final class Errors: ChannelInboundHandler {
    typealias InboundIn = Any
    private(set) var count = 0

    func errorCaught(context: ChannelHandlerContext, error: any Error) { count += 1 }
}
