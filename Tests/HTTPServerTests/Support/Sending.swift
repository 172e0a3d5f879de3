import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import RequestsInProcess
import SchemaValidation
import Testing

@testable import HTTPServer

struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var body: Data

    var json: JSON? { try? JSON(body) }
    var text: String { String(decoding: body, as: UTF8.self) }
    var problem: Problem? { try? WireJSON.decoder().decode(Problem.self, from: body) }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

struct Content: Sendable {
    var type: String?
    var bytes: Data
    /// Whether the body is sent in chunks, without a declared length.
    var isChunked = false

    static func json(_ text: String) -> Content {
        Content(type: "application/json", bytes: Data(text.utf8))
    }
    static func json(_ value: some Encodable) throws -> Content {
        Content(type: "application/json", bytes: try WireJSON.encoder().encode(value))
    }
}

extension TestServer {
    func request(
        _ method: String, _ path: String, _ content: Content? = nil, token: String? = nil,
        headers: [String: String] = [:]
    ) throws -> Request {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        if let token { fields[.authorization] = "Bearer \(token)" }
        if let type = content?.type { fields[.contentType] = type }
        if let content {
            if content.isChunked {
                fields[.transferEncoding] = "chunked"
            } else {
                fields[.contentLength] = String(content.bytes.count)
            }
        }
        let head = HTTPRequest(
            method: try #require(HTTPRequest.Method(rawValue: method)), scheme: "http",
            authority: "localhost", path: path, headerFields: fields
        )
        return Request(head: head, body: Self.body(content))
    }

    private static func body(_ content: Content?) -> RequestBody {
        guard let content else { return RequestBody(buffer: ByteBuffer()) }
        guard content.isChunked else {
            return RequestBody(buffer: ByteBuffer(bytes: content.bytes))
        }
        let pieces = stride(from: 0, to: content.bytes.count, by: 60_000).map {
            ByteBuffer(bytes: content.bytes[$0..<min($0 + 60_000, content.bytes.count)])
        }
        return RequestBody(
            asyncSequence: AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            })
    }

    func channel(from address: String = "192.0.2.1") throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 40_000)
        return channel
    }

    func context(on channel: any Channel) -> LifeSignalContext {
        var logger = log.logger
        // The server gives each request an id under this key.
        logger[metadataKey: "hb.request.id"] = "request-\(requests.next())"
        return LifeSignalContext(source: .init(channel: channel, logger: logger))
    }

    @discardableResult
    func send(
        _ method: String, _ path: String, _ content: Content? = nil, token: String? = nil,
        headers: [String: String] = [:],
        from address: String = "192.0.2.1", in context: LifeSignalContext? = nil
    ) async throws -> Answer {
        let context = try context ?? self.context(on: try channel(from: address))
        let response = try await respond(
            try request(method, path, content, token: token, headers: headers), context)
        return Answer(
            status: response.status.code, headers: response.headers,
            body: try await response.collectedBody())
    }

    /// Calls a typed route. Fails unless the answer matches the route's declared status and schema.
    @discardableResult
    func call<Input, Output>(
        _ route: Route<Input, Output>, _ input: Input, id: String? = nil, query: String = "",
        by person: Person?
    ) async throws -> Output {
        let path = route.endpoint.path.replacing("{id}", with: id ?? "{id}") + query
        let content = Input.self == Empty.self ? nil : try Content.json(input)
        let answer = try await send(
            route.endpoint.method.rawValue, path, content, token: person?.token)
        try #require(
            answer.status == route.endpoint.status, "\(route.endpoint.operationID): \(answer.text)")
        if let empty = Empty() as? Output {
            #expect(answer.body.isEmpty)
            return empty
        }
        #expect(Output.schema.violations(in: try JSON(answer.body)) == [])
        return try StrictJSON.decode(Output.self, from: answer.body)
    }

    @discardableResult
    func call<Input: OptionalPayload, Output>(
        _ route: Route<Input, Output>, id: String? = nil, query: String = "", by person: Person?
    ) async throws -> Output {
        try await call(route, Input(), id: id, query: query, by: person)
    }
}
