import Foundation

/// A request to a server.
public struct OutgoingRequest: Sendable {
    public var method: String
    public var url: URL
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// The time from the first step to the last byte of the answer; for a stream, to the end of the
    /// answer's head.
    public var timeout: Duration
    /// True if the server may get the request twice without harm. Only such a request uses an open
    /// connection again: libcurl repeats a request that it wrote into a dead one.
    public var isRepeatable: Bool
    /// The most bytes that are read of an answer's body; the rest is cut off. A stream has no
    /// limit.
    public var responseLimit = HTTPClient.responseLimit

    /// - Parameter isRepeatable: by the method, unless told: GET, HEAD, PUT and DELETE are.
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

/// The head of an answer.
public struct ResponseHead: Sendable, Equatable {
    public var status: Int
    /// The headers by lower-case name; what came more than once is joined with a comma.
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

/// An answer whose body is still coming.
public struct IncomingStream: Sendable {
    public var head: ResponseHead
    /// The body, for one reader. The connection is let go of when the reader is cancelled or the
    /// stream is dropped.
    public var body: AsyncThrowingStream<Data, any Error>
}

public enum HTTPClientError: Error, Equatable, Sendable {
    /// The name leads to an address inside a private network, where a webhook has no business.
    case privateAddress
    /// Connecting, or the whole request, took too long.
    case timedOut
    /// There is no such name, or nobody to ask for it.
    case unresolved
    /// No way out of this machine.
    case offline
    /// Nobody takes connections there.
    case refused
    /// The server can't prove who it is, or speaks no TLS that is accepted.
    case insecure
    /// The connection broke before the answer was whole. The server may have done what was asked.
    case interrupted
    case failed(String)
}
