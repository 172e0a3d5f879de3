import Foundation

/// An HTTP client based on libcurl, which can check each address before connecting to it. It can
/// refuse names that resolve to private addresses. It ignores redirects and the environment's
/// proxies, uses HTTP/2 over TLS where offered, and reuses connections.
public struct HTTPClient: Sendable {
    /// The size limit in bytes of a body read by `send`.
    public static let responseLimit = 8 * 1024 * 1024

    private let engine: TransferEngine.Owner

    /// See `init(allowed:)`.
    public init(
        allowsPrivateAddresses: Bool, connections: Int = 256, authorities: String? = nil,
        proxy: String? = nil
    ) {
        self.init(
            allowed: allowsPrivateAddresses ? .all : .publicOnly, connections: connections,
            authorities: authorities, proxy: proxy)
    }

    /// - Parameters:
    ///   - connections: the maximum number of open connections, including streams. Further requests
    ///     wait within their timeout.
    ///   - authorities: a PEM file with trusted root certificates; nil to use the system's.
    ///   - proxy: the URL of an HTTP or SOCKS proxy. Only its own address is checked then.
    public init(
        allowed: AllowedAddresses, connections: Int = 256, authorities: String? = nil,
        proxy: String? = nil
    ) {
        engine = TransferEngine.Owner(
            .init(
                allowed: allowed, connections: connections, authorities: authorities, proxy: proxy))
    }

    /// Sends a request and reads the whole response. Throws `HTTPClientError` or
    /// `CancellationError`, but not for an HTTP status.
    public func send(_ request: OutgoingRequest) async throws -> IncomingResponse {
        let exchange = Exchange(limitsWholeTransfer: true)
        return try await exchange.run(request, on: engine) {
            let head = try await exchange.head()
            var body = Data()
            while body.count < request.responseLimit, let chunk = try await exchange.next() {
                body += chunk.prefix(request.responseLimit - body.count)
            }
            return IncomingResponse(status: head.status, headers: head.headers, body: body)
        }
    }

    /// Returns the head of the response, and streams the body with a buffer of at most 256 kB. Both
    /// this method and the body throw `HTTPClientError` or `CancellationError`.
    public func stream(_ request: OutgoingRequest) async throws -> IncomingStream {
        let exchange = Exchange(limitsWholeTransfer: false)
        do {
            let watchdog = Task {
                try await Task.sleep(for: request.timeout)
                exchange.cancel(HTTPClientError.timedOut)
            }
            defer { watchdog.cancel() }
            let head = try await withTaskCancellationHandler {
                engine.start(request, exchange)
                return try await exchange.head()
            } onCancel: {
                exchange.cancel()
            }
            let reader = Exchange.Reader(exchange)
            return IncomingStream(head: head, body: AsyncThrowingStream { try await reader.next() })
        } catch {
            exchange.cancel()
            throw error
        }
    }
}
