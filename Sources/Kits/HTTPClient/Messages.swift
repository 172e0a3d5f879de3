import Foundation

public struct OutgoingRequest: Sendable {
    public var method: String
    public var url: URL
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// The time limit from the start to the last byte of the response. For a stream, to the end of
    /// the response's head.
    public var timeout: Duration
    /// True if the request is idempotent. Only such a request reuses an open connection: if the
    /// connection is dead, libcurl sends the request a second time.
    public var isRepeatable: Bool
    /// The maximum number of bytes to read of a response's body. The rest is cut off. Streams
    /// ignore this limit.
    public var responseLimit = HTTPClient.responseLimit
    /// The local socket to connect to; nil to connect to the URL's host.
    public var socketPath: String?

    /// - Parameter isRepeatable: nil to decide by the method: true for GET, HEAD, PUT and DELETE.
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

    /// Creates a response without a connection.
    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A response whose body is still arriving.
public struct IncomingStream: Sendable {
    public var head: ResponseHead
    /// The body, for one reader. Cancelling the reader's task or releasing the stream ends the
    /// transfer.
    public var body: AsyncThrowingStream<Data, any Error>
}

public enum HTTPClientError: Error, Equatable, Sendable {
    /// The name resolves to a private address, which this client refuses.
    case privateAddress
    /// The response took too long. The server may have processed the request.
    case timedOut
    /// Connecting took too long, so nothing was sent.
    case notConnected
    /// The name doesn't exist, or DNS can't be reached.
    case unresolved
    /// This machine is offline.
    case offline
    case refused
    /// The server's certificate is not trusted, or its TLS version is not accepted.
    case insecure
    /// The connection was lost before the end of the response. The server may have processed the
    /// request.
    case interrupted
    case failed(String)
}
