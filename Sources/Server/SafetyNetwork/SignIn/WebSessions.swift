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

    /// Fresh tokens for the session behind a cookie. The ones before are worthless afterwards:
    /// whoever held them has gone to sleep or was stopped. Throws `unauthenticated` when the secret
    /// stands for no session, or for one that is over.
    public func resumeWebSession(_ secret: Token) async throws -> IssuedTokens {
        let hash = secret.hash
        return try await database.write(
            about: Subjects([]) {
                try $0.session(webSecretHash: hash).map { [$0.caller.userID] } ?? []
            }
        ) { transaction in
            let now = transaction.now
            guard let session = try transaction.session(webSecretHash: hash),
                now < session.refreshExpiresAt
            else { throw Self.sessionOver }
            // Of another family: a token from before must not end the session that its own server
            // resumes.
            let tokens = issueTokens(to: session.caller, at: now)
            try transaction.reissueSession(session.caller, tokens.hashes)
            return tokens
        }
    }
}
