import Cryptography
import Domain
import Foundation
import Persistence

/// Sessions in browsers: the tokens stay with the server, and a cookie stands for them.
extension SafetyNetwork {
    /// Lets the secret of a cookie stand for the caller's session, and no earlier one any more.
    /// Stored as its hash only; it ends with the session. Throws `unauthenticated` when the session
    /// is over.
    public func bindWebSession(_ secret: Token, to caller: Caller) async throws {
        let hash = secret.hash
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard try transaction.sessions(of: caller).contains(where: \.isCurrent) else {
                throw Self.sessionOver
            }
            try transaction.bindWebSession(caller, secretHash: hash)
        }
    }

    /// Takes up the session behind a cookie. Its secret serves as both tokens, so that any number
    /// of servers take it up side by side, and none takes the tokens of another away. Throws
    /// `unauthenticated` when the secret stands for no session, or for one that is over.
    public func resumeWebSession(_ secret: Token) async throws -> IssuedTokens {
        let hash = secret.hash
        let outcome: Result<IssuedTokens, CommandError> = try await database.write(
            about: Subjects([], isRepeatable: true) {
                try $0.session(webSecretHash: hash).map { [$0.caller.userID] } ?? []
            }
        ) { transaction in
            guard let session = try transaction.session(webSecretHash: hash) else {
                return .failure(Self.sessionOver)
            }
            return try renewWebSession(session, secret, in: transaction)
        }
        return try outcome.get()
    }

    func renewWebSession(
        _ session: SessionRow, _ secret: Token, in transaction: Transaction
    ) throws -> Result<IssuedTokens, CommandError> {
        let now = transaction.now
        guard now < session.refreshExpiresAt else { return .failure(Self.sessionOver) }
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
