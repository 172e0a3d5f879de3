import API
import ClientsLive
import Synchronization

/// A connection that can be unplugged and plugged in, and that records its requests.
final class Cable: Transport {
    private let transport: any Transport
    private let state: Mutex<(isPlugged: Bool, sent: [TransportRequest])>

    init(_ transport: any Transport, isPlugged: Bool = true) {
        self.transport = transport
        state = Mutex((isPlugged, []))
    }

    func plug(_ isPlugged: Bool) { state.withLock { $0.isPlugged = isPlugged } }

    /// The requests other than GET, in order.
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
