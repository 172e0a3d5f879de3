import Foundation

#if canImport(Darwin)
/// Sends requests with URLSession, which handles the phone's proxies, power and networks.
public struct HTTPTransport: Transport {
    private let base: URL
    private let session: URLSession

    public init(base: URL) {
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.waitsForConnectivity = false
        configuration.httpCookieStorage = nil
        session = URLSession(configuration: configuration)
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            let (body, response) = try await session.data(for: try request.urlRequest(at: base))
            let (status, headers) = try Self.head(of: response)
            return TransportResponse(status: status, headers: headers, body: body)
        } catch let error as URLError {
            throw try Self.failure(error)
        }
    }

    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        do {
            let (bytes, response) = try await session.bytes(
                for: try request.urlRequest(at: base))
            let (status, headers) = try Self.head(of: response)
            let reader = LineReader(bytes)
            return TransportStream(
                status: status, headers: headers,
                body: AsyncThrowingStream { try await reader.next() })
        } catch let error as URLError {
            throw try Self.failure(error)
        }
    }

    private static func head(of response: URLResponse) throws -> (Int, [String: String]) {
        guard let response = response as? HTTPURLResponse else {
            throw ClientFailure.malformedAnswer
        }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { ($0.lowercased(), "\(value)") }
        }
        return (response.statusCode, Dictionary(headers) { $1 })
    }

    private static func failure(_ error: URLError) throws -> ClientFailure {
        switch error.code {
        case .cancelled: throw CancellationError()
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            .unreachable(.offline)
        case .cannotFindHost, .dnsLookupFailed: .unreachable(.nameNotFound)
        case .cannotConnectToHost: .unreachable(.refused)
        case .timedOut: .unreachable(.timedOut)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot, .clientCertificateRejected,
            .appTransportSecurityRequiresSecureConnection:
            .unreachable(.insecure)
        case .networkConnectionLost, .badServerResponse: .unreachable(.interrupted)
        default: .unreachable(.other)
        }
    }

    /// Returns bytes line by line, because the reader of an event stream can use only complete
    /// lines.
    private actor LineReader {
        private var bytes: URLSession.AsyncBytes.AsyncIterator

        init(_ bytes: URLSession.AsyncBytes) { self.bytes = bytes.makeAsyncIterator() }

        func next() async throws -> Data? {
            var line = Data()
            var bytes = bytes
            defer { self.bytes = bytes }
            do {
                while line.count < 16_384, let byte = try await bytes.next(isolation: self) {
                    line.append(byte)
                    if byte == UInt8(ascii: "\n") { break }
                }
            } catch let error as URLError {
                throw try HTTPTransport.failure(error)
            }
            return line.isEmpty ? nil : line
        }
    }
}
#else
import HTTPClient

/// Sends requests with libcurl.
public struct HTTPTransport: Transport {
    private let base: URL
    private let client: HTTPClient

    /// - Parameter base: scheme, host and port of the server, and its path prefix.
    public init(base: URL, client: HTTPClient = HTTPClient(allowsPrivateAddresses: true)) {
        self.base = base
        self.client = client
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            let response = try await client.send(try outgoing(request))
            return TransportResponse(
                status: response.status, headers: response.headers, body: response.body)
        } catch let error as HTTPClientError {
            throw Self.failure(error)
        }
    }

    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        do {
            let stream = try await client.stream(try outgoing(request))
            let reader = Reader(stream.body)
            return TransportStream(
                status: stream.head.status, headers: stream.head.headers,
                body: AsyncThrowingStream { try await reader.next() })
        } catch let error as HTTPClientError {
            throw Self.failure(error)
        }
    }

    private func outgoing(_ request: TransportRequest) throws -> OutgoingRequest {
        guard let url = request.url(at: base) else {
            throw ClientFailure.unreachable(.nameNotFound)
        }
        return OutgoingRequest(
            method: request.method.rawValue, url: url,
            headers: request.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            body: request.body,
            timeout: request.timeout, isRepeatable: request.isRepeatable)
    }

    static func failure(_ error: HTTPClientError) -> ClientFailure {
        switch error {
        case .timedOut, .notConnected: .unreachable(.timedOut)
        case .unresolved: .unreachable(.nameNotFound)
        case .offline: .unreachable(.offline)
        case .refused: .unreachable(.refused)
        case .insecure: .unreachable(.insecure)
        case .interrupted: .unreachable(.interrupted)
        case .privateAddress, .failed: .unreachable(.other)
        }
    }

    /// Reads the body. Converts the client's errors to `ClientFailure`.
    private final class Reader: Sendable {
        private let body: AsyncThrowingStream<Data, any Error>

        init(_ body: AsyncThrowingStream<Data, any Error>) { self.body = body }

        func next() async throws -> Data? {
            var iterator = body.makeAsyncIterator()
            do {
                return try await iterator.next()
            } catch let error as HTTPClientError {
                throw HTTPTransport.failure(error)
            }
        }
    }
}
#endif
