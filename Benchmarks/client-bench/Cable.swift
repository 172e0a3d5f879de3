import API
import ClientsLive
import Synchronization

/// A connection that is cut and mended, and says what went through it.
final class Cable: Transport {
    private let transport: any Transport
    private let state: Mutex<(isPlugged: Bool, sent: [TransportRequest])>

    init(_ transport: any Transport, isPlugged: Bool = true) {
        self.transport = transport
        state = Mutex((isPlugged, []))
    }

    func plug(_ isPlugged: Bool) { state.withLock { $0.isPlugged = isPlugged } }

    /// The requests that changed something, in order.
    var sent: [TransportRequest] { state.withLock { $0.sent } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let isPlugged = state.withLock { state in
            if state.isPlugged, request.method != .get { state.sent.append(request) }
            return state.isPlugged
        }
        guard isPlugged else { throw ClientFailure.unreachable(.offline) }
        return try await transport.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard state.withLock({ $0.isPlugged }) else { throw ClientFailure.unreachable(.offline) }
        return try await transport.stream(request)
    }
}
