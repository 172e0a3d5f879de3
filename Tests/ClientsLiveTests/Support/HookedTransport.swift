import API
import ClientsLive
import Foundation
import Synchronization

/// A transport that lets a test answer or delay requests.
struct HookedTransport: Transport {
    let transport: any Transport
    /// Called before each request. If it returns nil, the request is passed on.
    var before: @Sendable (TransportRequest) async throws -> TransportResponse? = { _ in nil }
    /// Called when the server has answered, before the caller gets the answer.
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

    /// Answers requests as a server that doesn't know this field of them.
    /// - Parameter path: the end of the requests' path.
    static func refusing(
        _ field: String, of path: String
    ) -> @Sendable (TransportRequest) async throws -> TransportResponse? {
        { request in
            guard request.path.hasSuffix(path),
                String(decoding: request.body, as: UTF8.self).contains("\"\(field)\"")
            else { return nil }
            return try TransportResponse.problem(.invalidArgument, field: field)
        }
    }
}

/// A flag that remembers whether it was raised.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    /// Returns true the first time.
    func raise() -> Bool {
        state.withLock { raised in
            defer { raised = true }
            return !raised
        }
    }
}
