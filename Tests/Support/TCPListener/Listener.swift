import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on this machine. It answers every request with the same bytes and records the requests.
public final class Listener: Sendable {
    private final class Book: Sendable {
        let texts = Mutex<[String]>([])
        let connections = Mutex(0)
        let open = Mutex<[ObjectIdentifier: any Channel]>([:])
        let changes = AsyncStream.makeStream(of: Int.self)
    }

    public let port: Int
    private let channel: any Channel
    private let book: Book

    /// - Parameters:
    ///   - host: an address of this machine.
    ///   - answer: the bytes after each complete request; nil for no answer.
    public init(host: String = "127.0.0.1", answer: String?) async throws {
        let book = Book()
        self.book = book
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(book, answer))
                }
            }
            .bind(host: host, port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    public static func http(_ status: String, headers: [String] = [], body: String = "") -> String {
        let lines =
            ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"]
            + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// The received requests, each as text.
    public var requests: [String] { book.texts.withLock { $0 } }
    public var connections: Int { book.connections.withLock { $0 } }

    public func url(_ host: String = "127.0.0.1", _ path: String = "/hook") throws -> URL {
        guard let url = URL(string: "http://\(host):\(port)\(path)") else {
            throw ChannelError.unknownLocalAddress
        }
        return url
    }

    public func cut() {
        for channel in book.open.withLock({ Array($0.values) }) {
            channel.close(mode: .all, promise: nil)
        }
    }

    /// Waits until this many connections are open.
    public func isOpen(_ count: Int) async {
        if book.open.withLock({ $0.count }) == count { return }
        for await open in book.changes.stream where open == count { return }
    }

    public func close() async throws { try await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let book: Book
        private let answer: String?
        private var received = ""

        init(_ book: Book, _ answer: String?) {
            self.book = book
            self.answer = answer
        }

        func channelActive(context: ChannelHandlerContext) {
            book.connections.withLock { $0 += 1 }
            let channel = context.channel
            change { $0[ObjectIdentifier(channel)] = channel }
        }

        func channelInactive(context: ChannelHandlerContext) {
            let channel = context.channel
            change { $0[ObjectIdentifier(channel)] = nil }
        }

        private func change(_ body: (inout [ObjectIdentifier: any Channel]) -> Void) {
            book.changes.continuation.yield(
                book.open.withLock { open in
                    body(&open)
                    return open.count
                })
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard isWhole else { return }
            book.texts.withLock { $0.append(received) }
            received = ""
            if let answer {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            }
        }

        private var isWhole: Bool {
            guard let end = endOfHead(received) else { return false }
            let length = received[..<end.lowerBound].split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
            return received[end.upperBound...].utf8.count >= length ?? 0
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

/// Searches bytes. A body may begin with a combining mark, as one ciphertext in 242 does. As
/// characters, the mark and the preceding line end would be one.
private func endOfHead(_ request: String) -> Range<String.Index>? {
    request.utf8.firstRange(of: "\r\n\r\n".utf8)
}

public struct ReceivedRequest {
    public var line: String
    public var headers: [String: String] = [:]
    public var body: String

    public init?(_ text: String) {
        guard let end = endOfHead(text) else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        line = lines[0]
        body = String(text[end.upperBound...])
        for header in lines.dropFirst() {
            let parts = header.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
        }
    }
}
