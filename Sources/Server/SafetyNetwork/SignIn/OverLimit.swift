import Cryptography
import Domain
import Foundation
import Persistence

/// Identifies a device whose address is over its request limit. Runs one look-up at a time in the
/// whole process, so that invented tokens from any number of addresses occupy at most one reader.
extension SignIn {
    /// Throws `unauthenticated`, or `refusal` when too many look-ups wait already.
    public func authenticate(_ token: Token, unlessRefused refusal: CommandError) async throws
        -> Caller
    {
        if callers.session(token.hash, at: now()) != nil { return try await authenticate(token) }
        guard lookUps.waitingCount < Core.mostLookUps else { throw refusal }
        return try await lookUps.run {
            guard try await database.read({ try $0.session(bearer: token.hash) }) != nil else {
                throw CommandError.sessionOver
            }
            return try await authenticate(token)
        }
    }

    /// Returns new tokens for a session that got none in the last minute; throws `refusal` for
    /// others.
    public func refresh(
        _ token: Token, attempt: UUID? = nil, unlessRefused refusal: CommandError
    ) async throws -> IssuedTokens {
        guard lookUps.waitingCount < Core.mostLookUps else { throw refusal }
        return try await lookUps.run {
            let hash = token.hash
            let session = try await database.read {
                try $0.session(refreshHash: hash) ?? $0.session(previousRefreshHash: hash)
                    ?? $0.session(webSecretHash: hash)
            }
            guard let session, now().since(session.lastUsedAt) >= Self.pauseBetweenRefreshes else {
                throw refusal
            }
            return try await refresh(token, attempt: attempt)
        }
    }

    /// The maximum number of waiting look-ups. If there are more, the server is being flooded, and
    /// one look-up at a time can't keep up.
    static let mostLookUps = 200
    private static let pauseBetweenRefreshes: Duration = .minutes(1)
}
