import ClientsLive
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Sends requests to the server's router in the same process. Authentication and checks are the
/// same as for a socket.
public struct InProcessTransport: Transport {
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response
    private let address: String
    private let logger: Logger
    private let whenSeen: LifeSignalContext.WhenSeen
    private let makeID: @Sendable () -> String

    /// - Parameters:
    ///   - responder: The server's router.
    ///   - address: The network address of the simulated person, for rate limits.
    ///   - whenSeen: Runs a closure after a page has shown the content that a stream delivered.
    ///   - makeID: Returns the id of each request for the log.
    public init<Responder: HTTPResponder>(
        _ responder: Responder, address: String, logger: Logger,
        whenSeen: @escaping LifeSignalContext.WhenSeen = { $0() },
        makeID: @escaping @Sendable () -> String = { LifeSignalContext.newRequestID() }
    ) where Responder.Context == LifeSignalContext {
        respond = { try await responder.respond(to: $0, context: $1) }
        self.address = address
        self.logger = logger
        self.whenSeen = whenSeen
        self.makeID = makeID
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await Detached<TransportResponse>.run {
            let response = try await answer(to: request)
            let body = CollectedBody()
            try await response.body.write(body)
            return TransportResponse(
                status: response.status.code, headers: Self.headers(of: response), body: body.bytes)
        }
    }

    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        let response = try await Detached<Response>.run {
            try await answer(to: request)
        } orElse: {
            // The caller was cancelled before the stream arrived. Writes the stream to a closed
            // pipe, so that the stream can clean up.
            let pipe = BodyPipe()
            pipe.close()
            try? await $0.body.write(BodyPipe.Writer(pipe: pipe))
        }
        let reader = BodyPipe.Reader { pipe in
            Task {
                do {
                    try await response.body.write(BodyPipe.Writer(pipe: pipe))
                    pipe.finish(nil)
                } catch {
                    pipe.finish(ClientFailure.unreachable(.interrupted))
                }
            }
        }
        return TransportStream(
            status: response.status.code, headers: Self.headers(of: response),
            body: AsyncThrowingStream { try await reader.next() })
    }

    private func answer(to request: TransportRequest) async throws -> Response {
        var fields = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if !request.body.isEmpty { fields[.contentLength] = String(request.body.count) }
        let head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get, scheme: "http",
            authority: "localhost", path: request.path,
            headerFields: fields)
        let context = LifeSignalContext(
            inProcessFor: address, requestID: makeID(), logger: logger, whenSeen: whenSeen)
        do {
            return try await respond(
                Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body))),
                context)
        } catch {
            // The router turns rejected requests into responses. It throws only where a server
            // would close the connection.
            throw ClientFailure.unreachable(.interrupted)
        }
    }

    private static func headers(of response: Response) -> [String: String] {
        Dictionary(response.headers.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" }
    }
}
