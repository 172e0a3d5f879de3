import API
import Domain
import Foundation

/// Carries requests to a server over the network, or to a router in the same process.
public protocol Transport: Sendable {
    /// Sends a request and reads the whole answer. Every status counts as an answer. Throws
    /// `ClientFailure.unreachable`, or `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and returns when the head of the answer has arrived. This method and the
    /// body throw `ClientFailure.unreachable` or `CancellationError`.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

public struct TransportRequest: Sendable, Equatable {
    public var method: Endpoint.Method
    /// The path and the query, percent-encoded.
    public var path: String
    public var headers: [String: String]
    public var body: Data
    /// True if the server may get the request twice without harm.
    public var isRepeatable: Bool
    /// The time limit for the whole exchange; for a stream, until the head of the answer.
    public var timeout: Duration

    public init(
        method: Endpoint.Method, path: String, headers: [String: String] = [:], body: Data = Data(),
        isRepeatable: Bool = false,
        timeout: Duration = .seconds(20)
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
        self.timeout = timeout
    }

    /// Returns the URL at a server, which may have a path itself.
    func url(at server: URL) -> URL? {
        URL(string: PathPrefix(of: server).text + path, relativeTo: server)?.absoluteURL
    }
}

public struct TransportResponse: Sendable, Equatable {
    public var status: Int
    /// The headers by lower-case name.
    public var headers: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

public struct TransportStream: Sendable {
    public var status: Int
    /// The headers by lower-case name.
    public var headers: [String: String]
    /// The body, for a single reader. Dropping the stream, or cancelling its reader, ends the
    /// exchange. While the body is not read, back-pressure slows the sender.
    public var body: AsyncThrowingStream<Data, any Error>

    public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>)
    {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
