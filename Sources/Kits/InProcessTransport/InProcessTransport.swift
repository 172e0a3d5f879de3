import ClientsLive
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Passes requests to the server's router in the same process, with the same authentication and
/// checks but without sockets.
public struct InProcessTransport: Transport {
    private let respond: @Sendable (Request, LifeSignalContext) async throws -> Response
    private let address: String
    private let logger: Logger
    private let whenSeen: LifeSignalContext.WhenSeen
    private let makeID: @Sendable () -> String

    /// - Parameters:
    ///   - responder: the server's router.
    ///   - address: the network address of the simulated person, used for rate limits.
    ///   - whenSeen: runs a closure once a page has shown the content that a stream delivered.
    ///   - makeID: returns the id of each request in the log.
    public init<Responder: HTTPResponder>(
        _ responder: Responder, address: String, logger: Logger,
        whenSeen: @escaping LifeSignalContext.WhenSeen = { $0() },
        makeID: @escaping @Sendable () -> String = { RequestID().description }
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
            // The handler has returned a stream after the caller was cancelled. The stream is
            // written to a closed pipe, so that it can clean up.
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
            // The router turns every rejected request into a response. It throws only errors for
            // which a server would close the connection.
            throw ClientFailure.unreachable(.interrupted)
        }
    }

    private static func headers(of response: Response) -> [String: String] {
        Dictionary(response.headers.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" }
    }
}
