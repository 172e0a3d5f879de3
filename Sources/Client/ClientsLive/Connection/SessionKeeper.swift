import API
import Domain
import Foundation

/// Holds the tokens of a session. Renews expired tokens only once, even for many calls.
///
/// A refresh token works until its successor is used. A later use ends the session on the server.
/// If the answer to a renewal is lost, the next renewal sends the same token again and gets another
/// answer. Therefore:
/// - An answer is saved before its tokens are used.
/// - A renewal finishes even if the calls that wanted it are cancelled.
/// - Two processes with one store take turns, and first check whether the other has renewed.
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
    /// The refresh token and the idempotency key of the last renewal. Retries use the same key,
    /// because an earlier request may still reach the server.
    private var attempt: (token: String, key: UUID)?
    private let makeID: @Sendable () -> UUID

    init(
        transport: any Transport, store: any TokenStore,
        ended: AsyncStream<SessionID>.Continuation,
        makeID: @escaping @Sendable () -> UUID = { .random() }
    ) {
        self.makeID = makeID
        self.transport = transport
        self.store = store
        self.ended = ended
    }

    func deviceKey() async -> DeviceKey? { await store.deviceKey() }

    func alertPass() async -> StoredAlertPass? { await store.alertPass() }
    func save(alertPass: StoredAlertPass) async { await store.save(alertPass: alertPass) }

    /// Returns the tokens. Throws `sessionEnded` while signed out, or the store's read error.
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

    /// Stores a new session. If the store fails, throws the store's error and changes nothing.
    func adopt(_ tokens: SessionTokens) async throws {
        // Exclusive, because another process may be writing renewed tokens of the previous session.
        try await store.exclusively { [store] in try await store.save(tokens) }
        state = .signedIn(tokens, isSaved: true)
    }

    /// Deletes the session at its user's request. `ended` does not report this.
    func forget() async throws {
        state = .signedOut
        try await store.exclusively { [store] in try await store.delete() }
    }

    /// Returns tokens that are newer than the refused ones. Throws `sessionEnded`, or the failure
    /// of the renewal.
    func renew(_ refused: SessionTokens) async throws -> SessionTokens {
        // A call of an earlier session must not continue as the user who is signed in now.
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
            // Another process may have signed out, changed the user, or renewed first.
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
            // The tokens are saved before they are used. If the save fails, the session continues
            // from memory, because a failing disk must not block a call for help. Each later call
            // first tries to save.
            await save(tokens)
            return tokens
        // Only the API's own answer ends a session. A proxy's 401 does not.
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
        // The user signed out during the write.
        case .signedOut: try? await store.delete()
        // Another session was adopted during the write.
        case .signedIn(let present, true) where present.sessionID != tokens.sessionID:
            await save(present)
        default: break
        }
    }

    private func end(_ tokens: SessionTokens) async throws -> Never {
        if case .signedIn(tokens, _) = state {
            state = .signedOut
            // If the store fails, the next start finds the tokens, and the server refuses them.
            if let stored = try? await store.load(), stored.sessionID == tokens.sessionID {
                try? await store.delete()
            }
            ended.yield(tokens.sessionID)
        }
        throw ClientFailure.sessionEnded
    }
}
