import Foundation

/// An HTTP client based on libcurl, which allows checking each address before connecting to it.
/// Unless `allowsPrivateAddresses` is true, it refuses names that resolve to private addresses. The
/// client follows no redirects and uses no proxy. It uses HTTP/2 if the server offers it over TLS,
/// and reuses connections for later requests of the same client.
public struct HTTPClient: Sendable {
    /// The size limit in bytes of a body read by `send`, unless the request sets its own.
    public static let responseLimit = 8 * 1024 * 1024

    private let engine: TransferEngine.Owner

    /// - Parameters:
    ///   - connections: the maximum number of open connections, including streams; further requests
    ///     wait within their timeout.
    ///   - authorities: a PEM file with trusted root certificates; nil to use the system's.
    public init(
        allowsPrivateAddresses: Bool, connections: Int = 256, authorities: String? = nil
    ) {
        engine = TransferEngine.Owner(
            .init(
                allowsPrivateAddresses: allowsPrivateAddresses, connections: connections,
                authorities: authorities))
    }

    /// Sends a request and reads the whole response. Cancelling the task ends the transfer. Throws
    /// `HTTPClientError` or `CancellationError`, but not for an HTTP status.
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

    /// Returns once the head of the response has arrived, and streams the body with a buffer of at
    /// most 256 kB. Both this method and the body throw `HTTPClientError` or `CancellationError`.
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
