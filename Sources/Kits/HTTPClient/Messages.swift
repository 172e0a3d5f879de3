import Foundation

/// A request to a server.
public struct OutgoingRequest: Sendable {
    public var method: String
    public var url: URL
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// The time limit from the start to the last byte of the response; for a stream, to the end of
    /// the response's head.
    public var timeout: Duration
    /// True if the request is idempotent. Only an idempotent request reuses an open connection,
    /// because libcurl sends a request again if it wrote the request to a dead connection.
    public var isRepeatable: Bool
    /// The maximum number of bytes to read of a response's body; the rest is cut off. Streams are
    /// unlimited.
    public var responseLimit = HTTPClient.responseLimit

    /// - Parameter isRepeatable: if nil, the method decides: GET, HEAD, PUT and DELETE are
    ///   repeatable.
    public init(
        method: String = "POST", url: URL, headers: [(name: String, value: String)] = [],
        body: Data = Data(), timeout: Duration = .seconds(10),
        isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.isRepeatable = isRepeatable ?? ["GET", "HEAD", "PUT", "DELETE"].contains(method)
    }
}

/// The head of a response.
public struct ResponseHead: Sendable, Equatable {
    public var status: Int
    /// The headers by lower-case name; repeated ones are joined with a comma.
    public var headers: [String: String]

    public init(status: Int, headers: [String: String] = [:]) {
        self.status = status
        self.headers = headers
    }
}

public struct IncomingResponse: Sendable {
    public var status: Int
    /// The headers by lower-case name.
    public var headers: [String: String]
    public var body: Data
}

/// A response whose body is still arriving.
public struct IncomingStream: Sendable {
    public var head: ResponseHead
    /// The body, for one reader. The connection is released when the reader's task is cancelled or
    /// the stream is deallocated.
    public var body: AsyncThrowingStream<Data, any Error>
}

public enum HTTPClientError: Error, Equatable, Sendable {
    /// The name resolves to an address in a private network, and this client refuses those.
    case privateAddress
    /// Connecting, or the whole request, took too long.
    case timedOut
    /// The name doesn't exist, or DNS can't be reached.
    case unresolved
    /// This machine is offline.
    case offline
    /// The server refused the connection.
    case refused
    /// The server's certificate is not trusted, or its TLS version is not accepted.
    case insecure
    /// The connection was lost before the response was complete. The server may have processed the
    /// request.
    case interrupted
    case failed(String)
}
