import API
import ClientsLive
import Domain
import Foundation
import Synchronization

final class FakeTransport: Transport {
    typealias Rule = @Sendable (TransportRequest, _ number: Int) async throws -> TransportResponse
    typealias StreamRule =
        @Sendable (TransportRequest, _ number: Int) async throws -> TransportStream

    private let book = Mutex<[TransportRequest]>([])
    private let rule: Rule
    private let streamRule: StreamRule

    init(
        stream: @escaping StreamRule = { _, _ in throw ClientFailure.unreachable(.refused) },
        _ rule: @escaping Rule
    ) {
        self.rule = rule
        streamRule = stream
    }

    var requests: [TransportRequest] { book.withLock { $0 } }
    func count(of path: String) -> Int { requests.count { $0.path == path } }

    private func note(_ request: TransportRequest) -> Int {
        book.withLock {
            $0.append(request)
            return $0.count
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await rule(request, note(request))
    }
    func stream(_ request: TransportRequest) async throws -> TransportStream {
        try await streamRule(request, note(request))
    }
}

extension TransportRequest {
    var token: String? { headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } }
}

extension TransportResponse {
    static func json(_ value: some Encodable, status: Int = 200) throws -> TransportResponse {
        TransportResponse(
            status: status, headers: ["content-type": "application/json"],
            body: try WireJSON.encoder().encode(value))
    }

    static func problem(
        _ code: ErrorCode, detail: String = "", field: String? = nil, retryAfter: Int? = nil
    ) throws -> TransportResponse {
        var response = try json(
            Problem(code, detail: detail, field: field, requestID: "request-1"), status: code.status
        )
        if let retryAfter { response.headers["retry-after"] = String(retryAfter) }
        return response
    }
}

/// Returns an id that depends only on the number.
func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

extension SessionTokens {
    /// Returns a session's tokens after this number of renewals.
    static func stage(_ number: Int, session: UInt8 = 1) -> SessionTokens {
        SessionTokens(
            accessToken: "access-\(session)-\(number)",
            refreshToken: "refresh-\(session)-\(number)", userID: id(session),
            sessionID: id(session))
    }

    var response: TokenResponse {
        TokenResponse(
            accessToken: accessToken, refreshToken: refreshToken,
            expiresAt: Date(milliseconds: 1_772_366_400_000), isNewUser: false, userID: userID,
            sessionID: sessionID)
    }
}

/// The part of a server that handles sessions: the valid access token, and the next refresh token.
final class FakeSessions: Sendable {
    private struct State {
        var stage = 0
        /// The number of the previous tokens. Their refresh token stays valid until the current
        /// refresh token is used.
        var previous = -1
        var isOver = false
        var refreshes = 0
        var isExpired = false
    }

    private let state: Mutex<State>

    /// - Parameter stage: the number of renewals so far.
    init(stage: Int = 0) { state = Mutex(State(stage: stage)) }

    var refreshes: Int { state.withLock { $0.refreshes } }
    var isOver: Bool { state.withLock { $0.isOver } }
    func expireAccess() { state.withLock { $0.isExpired = true } }
    func end() { state.withLock { $0.isOver = true } }

    func isGood(_ token: String?) -> Bool {
        state.withLock {
            !$0.isOver && !$0.isExpired && token == SessionTokens.stage($0.stage).accessToken
                && $0.stage > 0
        }
    }

    /// Renews the tokens like the server. A refresh token is valid until its successor is used. A
    /// later use ends the session.
    func refresh(_ request: TransportRequest) throws -> TransportResponse {
        let asked = try WireJSON.decoder().decode(RefreshRequest.self, from: request.body)
            .refreshToken
        let tokens = state.withLock { state -> SessionTokens? in
            state.refreshes += 1
            let isCurrent = asked == SessionTokens.stage(state.stage).refreshToken
            guard !state.isOver,
                isCurrent || asked == SessionTokens.stage(state.previous).refreshToken
            else {
                state.isOver = true
                return nil
            }
            if isCurrent { state.previous = state.stage }
            state.stage += 1
            state.isExpired = false
            return .stage(state.stage)
        }
        guard let tokens else { return try .problem(.unauthenticated) }
        return try .json(tokens.response)
    }
}
