import COpenSSL
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import TLS

@Suite struct TLSHandlerTests {
    private let channel: EmbeddedChannel
    private let events = Events()
    private let client: Client

    init() throws {
        let live = try CertificateFolder().live()
        channel = EmbeddedChannel(handlers: [try TLSHandler(live), events])
        client = try Client()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    /// Passes bytes between client and server until both wait.
    private func exchange() throws {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            client.shakeHands()
            if let bytes = client.takeOutgoing() {
                try channel.writeInbound(bytes)
                hasMoved = true
            }
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                client.receive(bytes)
                hasMoved = true
            }
        }
    }

    private func received() throws -> String {
        var text = ""
        while let bytes = try channel.readInbound(as: ByteBuffer.self) {
            text += String(buffer: bytes)
        }
        return text
    }

    @Test func bytesArriveInBothDirections() throws {
        try exchange()
        client.write("question")
        try exchange()
        #expect(try received() == "question")
        try channel.writeOutbound(ByteBuffer(string: "answer"))
        try exchange()
        #expect(client.read() == "answer")
        #expect(channel.isActive)
    }

    @Test func handshakeInSingleBytesSucceeds() throws {
        client.shakeHands()
        for byte in try #require(client.takeOutgoing()).readableBytesView {
            try channel.writeInbound(ByteBuffer(bytes: [byte]))
        }
        try exchange()
        client.write("question")
        try exchange()
        #expect(try received() == "question")
    }

    @Test func largeBytesArriveWhole() throws {
        try exchange()
        let text = String(repeating: "0123456789", count: 100_000)
        client.write(text)
        try exchange()
        #expect(try received() == text)
        try channel.writeOutbound(ByteBuffer(string: text))
        try exchange()
        #expect(client.read() == text)
    }

    @Test func largeAnswerLeavesNoLargeBuffer() throws {
        let connection = try TLSConnection(try CertificateFolder().live().context)
        let allocator = ByteBufferAllocator()
        var isEstablished = false
        while !isEstablished {
            client.shakeHands()
            if let bytes = client.takeOutgoing() { try connection.receive(bytes) }
            isEstablished = try connection.shakeHands()
            client.receive(connection.takeOutgoing(allocator))
        }
        let text = String(repeating: "0123456789", count: 100_000)
        client.receive(try connection.write(ByteBuffer(string: text), allocator))
        #expect(client.read() == text)
        #expect(connection.outgoingCapacity < 64 * 1024)
    }

    @Test func emptyWriteIsNoError() throws {
        try exchange()
        try channel.writeOutbound(ByteBuffer())
        try channel.writeOutbound(ByteBuffer(string: "x"))
        try exchange()
        #expect(client.read() == "x")
    }

    @Test func writeBeforeTheHandshakeWaits() throws {
        let written = channel.writeAndFlush(ByteBuffer(string: "early"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        try exchange()
        #expect(client.read() == "early")
        try written.wait()
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}~~ no hello"])
    func otherProtocolClosesTheConnection(words: String) throws {
        let written = channel.writeAndFlush(ByteBuffer(string: "secret"))
        try channel.writeInbound(ByteBuffer(string: words))
        #expect(!channel.isActive)
        #expect(throws: ChannelError.self) { try written.wait() }
        #expect(try received() == "")
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
            #expect(!String(buffer: bytes).contains("secret"))
        }
    }

    @Test func alteredBytesCloseTheConnection() throws {
        try exchange()
        client.write("question")
        var bytes = try #require(client.takeOutgoing())
        let last = bytes.writerIndex - 1
        let altered = try #require(bytes.getInteger(at: last, as: UInt8.self)) ^ 1
        bytes.setInteger(altered, at: last)
        try channel.writeInbound(bytes)
        #expect(!channel.isActive)
        #expect(try received() == "")
    }

    @Test func endOfTheClientIsPassedOnOnce() throws {
        try exchange()
        client.finish()
        try exchange()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(events.ends == 1)
        try channel.writeOutbound(ByteBuffer(string: "answer"))
        try exchange()
        #expect(client.read() == "answer")
        #expect(channel.isActive)
    }

    @Test func closingTellsTheClient() throws {
        try exchange()
        channel.close(promise: nil)
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { client.receive(bytes) }
        #expect(client.read() == "")
        #expect(client.isFinishedByServer)
        #expect(throws: ChannelError.self) {
            try channel.writeOutbound(ByteBuffer(string: "late"))
        }
    }
}

/// Counts the ends of the client's bytes.
private final class Events: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private(set) var ends = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { ends += 1 }
        context.fireUserInboundEventTriggered(event)
    }
}

/// OpenSSL's client, without a network.
private final class Client {
    private struct NoMemory: Error {}

    private let connection: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private(set) var isFinishedByServer = false

    init() throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw NoMemory() }
        defer { SSL_CTX_free(context) }
        guard let connection = SSL_new(context), let incoming = BIO_new(BIO_s_mem()),
            let outgoing = BIO_new(BIO_s_mem())
        else { throw NoMemory() }
        SSL_set_bio(connection, incoming, outgoing)
        SSL_set_connect_state(connection)
        self.connection = connection
        self.incoming = incoming
        self.outgoing = outgoing
    }

    deinit { SSL_free(connection) }

    func shakeHands() { _ = SSL_do_handshake(connection) }

    func receive(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes {
            _ = BIO_write(incoming, $0.baseAddress, Int32($0.count))
        }
    }

    /// Returns nil without bytes for the server.
    func takeOutgoing() -> ByteBuffer? {
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(outgoing)))
        guard !bytes.isEmpty else { return nil }
        let count = BIO_read(outgoing, &bytes, Int32(bytes.count))
        return ByteBuffer(bytes: bytes.prefix(Int(count)))
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = SSL_write(connection, bytes, Int32(bytes.count))
    }

    func read() -> String {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = SSL_read(connection, &bytes, Int32(bytes.count))
            guard count > 0 else {
                isFinishedByServer =
                    SSL_get_error(connection, count) == SSL_ERROR_ZERO_RETURN
                return String(decoding: all, as: UTF8.self)
            }
            all += bytes.prefix(Int(count))
        }
    }

    func finish() { _ = SSL_shutdown(connection) }
}
