import API
import Foundation

/// Carries requests to a server and answers back: over the network, or to a router in the same
/// process.
public protocol Transport: Sendable {
    /// Sends a request and reads the whole answer. An answer of any status is not an error.
    /// Throws `ClientFailure.unreachable`, or `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and returns as soon as the head of the answer is there.
    /// Throws `ClientFailure.unreachable` or `CancellationError`, here and in the body.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

public struct TransportRequest: Sendable, Equatable {
    public var method: Endpoint.Method
    /// Percent-encoded, with the query.
    public var path: String
    public var headers: [String: String]
    public var body: Data
    /// True if the server may get the request twice without harm.
    public var isRepeatable: Bool
    /// The limit of the whole exchange; with a stream, of the head of the answer.
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
    /// One reader may read it; dropping it, or cancelling the reader, ends the exchange. The sender
    /// is held back when nobody reads.
    public var body: AsyncThrowingStream<Data, any Error>

    public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>)
    {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
