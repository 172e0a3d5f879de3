import API
import Domain
import Foundation

/// The one holder of a session's tokens. However many calls find them expired, they are renewed
/// once.
///
/// A refresh token works until its successor is used; using it after that ends the session on the
/// server. So when a kill or a broken connection loses the answer to a renewal, the next renewal
/// shows the same token again and gets another answer. The answer is saved before its tokens are
/// used, a renewal that began is finished even when the calls that wanted it are cancelled, and two
/// processes with one store take turns and look first whether the other has renewed already.
actor SessionKeeper {
    private enum State {
        case unread
        case signedOut
        case signedIn(SessionTokens, isSaved: Bool)
    }

    private let transport: any Transport
    private let store: any TokenStore
    private let ended: AsyncStream<SessionID>.Continuation
    private var state = State.unread
    private var renewals: [SessionID: Task<SessionTokens, any Error>] = [:]
    /// The key of the last renewal, and the refresh token that it exchanges: a try that got no
    /// answer may still arrive, after the next one.
    private var attempt: (token: String, key: UUID)?
    private let makeID: @Sendable () -> UUID

    init(
        transport: any Transport, store: any TokenStore,
        ended: AsyncStream<SessionID>.Continuation,
        makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.makeID = makeID
        self.transport = transport
        self.store = store
        self.ended = ended
    }

    func deviceKey() async -> DeviceKey? { await store.deviceKey() }

    /// Throws `sessionEnded` when nobody is signed in, or what the store throws when it can't be
    /// read.
    func tokens() async throws -> SessionTokens {
        if case .unread = state {
            let stored = try await store.load()
            if case .unread = state {
                state = stored.map { .signedIn($0, isSaved: true) } ?? .signedOut
            }
        }
        guard case .signedIn(let tokens, let isSaved) = state else {
            throw ClientFailure.sessionEnded
        }
        if !isSaved { await save(tokens) }
        return tokens
    }

    /// A new session. Throws what the store throws; then nobody is signed in anew.
    func adopt(_ tokens: SessionTokens) async throws {
        // Not while another process writes what it has renewed of the session before.
        try await store.exclusively { [store] in try await store.save(tokens) }
        state = .signedIn(tokens, isSaved: true)
    }

    /// Forgets the session because its user wants it: nothing is published.
    func forget() async throws {
        state = .signedOut
        try await store.exclusively { [store] in try await store.delete() }
    }

    /// Tokens that are newer than those that were refused. Throws `sessionEnded`, or why the server
    /// could not be asked.
    func renew(_ refused: SessionTokens) async throws -> SessionTokens {
        // A call of a session before this one must not go on as whoever is signed in now.
        guard case .signedIn(let current, let isSaved) = state,
            current.sessionID == refused.sessionID
        else { throw ClientFailure.sessionEnded }
        guard current.accessToken == refused.accessToken else { return current }
        if let renewal = renewals[current.sessionID] { return try await renewal.value }
        let task = Task {
            defer { renewals[current.sessionID] = nil }
            return try await store.exclusively {
                try await self.exchange(current, isSaved: isSaved)
            }
        }
        renewals[current.sessionID] = task
        return try await task.value
    }

    private func exchange(_ current: SessionTokens, isSaved: Bool) async throws -> SessionTokens {
        if isSaved {
            // Another process may have signed out, or be somebody else by now; or it was faster.
            guard let stored = try await store.load(), stored.sessionID == current.sessionID else {
                try await end(current)
            }
            guard stored == current else {
                try install(stored, isSaved: true, after: current)
                return stored
            }
        }
        let key = attempt.flatMap { $0.token == current.refreshToken ? $0.key : nil } ?? makeID()
        attempt = (current.refreshToken, key)
        let answer = try await transport.send(
            TransportRequest(
                method: Routes.refresh.endpoint.method, path: Routes.refresh.endpoint.path,
                headers: [
                    "Content-Type": "application/json",
                    Endpoint.idempotencyKey: key.uuidString.lowercased(),
                ],
                body: try WireJSON.encoder().encode(
                    RefreshRequest(refreshToken: current.refreshToken)), isRepeatable: true))
        switch answer.status {
        case Routes.refresh.endpoint.status:
            guard
                let response = try? WireJSON.tolerantDecoder().decode(
                    TokenResponse.self, from: answer.body)
            else { throw ClientFailure.malformedAnswer }
            let tokens = SessionTokens(response)
            try install(tokens, isSaved: false, after: current)
            // Stored before it is used. A disk that refuses must not keep anybody from calling for
            // help: the session then goes on from memory, and each call tries to store again first.
            await save(tokens)
            return tokens
        // The API itself must have sent it: what stands in front of the API signs nobody out.
        case 401 where APIReply.failure(of: answer).code == .unauthenticated: try await end(current)
        default: throw APIReply.failure(of: answer)
        }
    }

    private func install(_ tokens: SessionTokens, isSaved: Bool, after old: SessionTokens) throws {
        guard case .signedIn(let current, _) = state, current == old else {
            throw ClientFailure.sessionEnded
        }
        state = .signedIn(tokens, isSaved: isSaved)
    }

    private func save(_ tokens: SessionTokens) async {
        let isSaved = (try? await store.save(tokens)) != nil
        switch state {
        case .signedIn(tokens, _): state = .signedIn(tokens, isSaved: isSaved)
        // Signed out while it was written.
        case .signedOut: try? await store.delete()
        // Somebody else has signed in while it was written.
        case .signedIn(let present, true) where present.sessionID != tokens.sessionID:
            await save(present)
        default: break
        }
    }

    private func end(_ tokens: SessionTokens) async throws -> Never {
        if case .signedIn(tokens, _) = state {
            state = .signedOut
            if let stored = try? await store.load(), stored.sessionID == tokens.sessionID {
                try? await store.delete()
            }
            ended.yield(tokens.sessionID)
        }
        throw ClientFailure.sessionEnded
    }
}
