import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

extension HTTPResponder
where Context: RequestContext, Context.Source == ApplicationRequestContextSource {
    /// Passes a request to the routes without a socket.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", headers: HTTPFields,
        authority: String
    ) async throws -> Response {
        try await send(
            method, path, RequestBody(buffer: ByteBuffer(string: body)), headers: headers,
            authority: authority)
    }

    public func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: RequestBody, headers: HTTPFields,
        authority: String
    ) async throws -> Response {
        let head = HTTPRequest(
            method: method, scheme: "https", authority: authority, path: path,
            headerFields: headers)
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        // The server gives each request an id under this key.
        logger[metadataKey: "hb.request.id"] = "test"
        return try await respond(
            to: Request(head: head, body: body),
            context: Context(source: .init(channel: NIOAsyncTestingChannel(), logger: logger)))
    }
}

public struct PageAnswer: Sendable {
    public let status: Int
    public let headers: HTTPFields
    /// Empty for an event stream, which never ends.
    public let bytes: Data
    /// The secret in the cookie; nil if the response sets no cookie.
    public let secret: Token?
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public init(_ response: Response, cookie name: String) async throws {
        (status, headers) = (response.status.code, response.headers)
        let isStream = headers[.contentType] == "text/event-stream"
        bytes = isStream ? Data() : try await response.collectedBody()
        let cookie = headers[.setCookie] ?? ""
        secret = cookie.firstRange(of: "\(name)=").flatMap {
            Token(String(cookie[$0.upperBound...].prefix { $0 != ";" }))
        }
    }
}

extension Response {
    /// Returns the whole body, which must end.
    public func collectedBody() async throws -> Data {
        let body = CollectedBody()
        try await self.body.write(body)
        return body.bytes
    }
}

public struct CollectedBody: ResponseBodyWriter {
    private final class Box: Sendable { let bytes = Mutex(Data()) }
    private let box = Box()

    public init() {}

    public var bytes: Data { box.bytes.withLock { $0 } }

    public func write(_ buffer: ByteBuffer) async throws {
        box.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }
    public consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
