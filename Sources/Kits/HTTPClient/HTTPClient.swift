import Foundation

/// HTTP by libcurl, because every address is seen before it is connected to: a name that leads to a
/// private address is refused however it got there. Redirects are not followed and no proxy is
/// used. HTTP/2 is spoken where TLS offers it, and connections are kept for the next request of the
/// same client.
public struct HTTPClient: Sendable {
    /// The limit of a body read by `send`, in bytes, unless the request has its own.
    public static let responseLimit = 8 * 1024 * 1024

    private let engine: TransferEngine.Owner

    /// - Parameters:
    ///   - connections: how many may be open at once, streams included; further requests wait
    ///     within their timeout.
    ///   - authorities: a PEM file with the certificates by which servers are believed; nil for
    ///     those of the system.
    public init(
        allowsPrivateAddresses: Bool, connections: Int = 256, authorities: String? = nil
    ) {
        engine = TransferEngine.Owner(
            .init(
                allowsPrivateAddresses: allowsPrivateAddresses, connections: connections,
                authorities: authorities))
    }

    /// Throws `HTTPClientError`, or `CancellationError` when the task is cancelled, which ends the
    /// transfer. A response of any status is an answer, not an error.
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

    /// Waits for the head of the answer and hands its body on as it arrives, at most 256 kB ahead
    /// of the reader. Throws `HTTPClientError` or `CancellationError`, here and in the body.
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
