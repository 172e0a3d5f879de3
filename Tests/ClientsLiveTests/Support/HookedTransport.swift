import ClientsLive
import Synchronization

/// A transport on which a test answers some requests itself, or holds them up.
struct HookedTransport: Transport {
    let transport: any Transport
    /// nil lets the request pass.
    var before: @Sendable (TransportRequest) async throws -> TransportResponse? = { _ in nil }
    /// Between the server's answer and whoever waits for it.
    var after: @Sendable (TransportRequest) async -> Void = { _ in }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let answer = try await before(request) { return answer }
        let answer = try await transport.send(request)
        await after(request)
        return answer
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(request)
    }
}

/// Something that is so once.
final class Flag: Sendable {
    private let isRaised = Mutex(false)

    /// True if nobody has raised it before.
    func raise() -> Bool {
        isRaised.withLock { raised in
            defer { raised = true }
            return !raised
        }
    }
}
