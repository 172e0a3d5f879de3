import Cryptography
import Domain
import Foundation
import Persistence

/// Sessions of browsers, which have a cookie instead of tokens.
public struct WebSessions: Commands {
    public let core: Core

    /// Binds a cookie's secret to the caller's session and replaces an earlier secret. Only the
    /// secret's hash is stored, until the session ends. Throws `unauthenticated` if the session is
    /// over.
    public func bindWebSession(_ secret: Token, to caller: Caller) async throws {
        let hash = secret.hash
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard try transaction.sessions(of: caller).contains(where: \.isCurrent) else {
                throw CommandError.sessionOver
            }
            try transaction.bindWebSession(caller, secretHash: hash)
        }
    }

    /// Resumes the session of a cookie. The secret serves as both tokens, so that several servers
    /// can resume the session without invalidating each other's tokens. Throws `unauthenticated`
    /// for an unknown secret or a session that is over.
    public func resumeWebSession(_ secret: Token) async throws -> IssuedTokens {
        let hash = secret.hash
        let outcome: Result<IssuedTokens, CommandError> = try await database.write(
            about: Subjects([], isRepeatable: true) {
                try $0.session(webSecretHash: hash).map { [$0.caller.userID] } ?? []
            }
        ) { transaction in
            guard let session = try transaction.session(webSecretHash: hash) else {
                return .failure(CommandError.sessionOver)
            }
            return try renewWebSession(session, secret, in: transaction)
        }
        return try outcome.get()
    }

    func renewWebSession(
        _ session: SessionRow, _ secret: Token, in transaction: Transaction
    ) throws -> Result<IssuedTokens, CommandError> {
        let now = transaction.now
        guard now < session.refreshExpiresAt else { return .failure(CommandError.sessionOver) }
        let accessExpiresAt = now.adding(SignInRules.accessTokenLifetime)
        let refreshExpiresAt = now.adding(SignInRules.refreshTokenLifetime)
        try transaction.extendSession(
            session.caller, accessExpiresAt: accessExpiresAt, refreshExpiresAt: refreshExpiresAt)
        return .success(
            IssuedTokens(
                accessToken: secret, refreshToken: secret, accessExpiresAt: accessExpiresAt,
                refreshExpiresAt: refreshExpiresAt, isNewUser: false, caller: session.caller))
    }
}
