import Domain
import Foundation

extension SQLConnection {
    /// Returns the session whose access token or cookie's secret has this hash.
    public func session(bearer hash: Data) throws -> SessionRow? {
        try session(accessHash: hash) ?? session(webSecretHash: hash)
    }

    public func session(webSecretHash hash: Data) throws -> SessionRow? {
        let caller = try first(
            "SELECT user_id, session_id FROM web_sessions WHERE secret_hash = $1", [.blob(hash)],
            Caller.init)
        return try caller.flatMap { try session("web_secret_hash", hash, of: $0) }
    }
}

extension Transaction {
    /// Binds a cookie to a session, in place of the session's earlier cookie. Throws
    /// `constraintViolation` if the session doesn't exist.
    public func bindWebSession(_ caller: Caller, secretHash: Data) throws {
        try deleteWebSecret(of: caller)
        let found = try execute(
            "UPDATE sessions SET web_secret_hash = $1 WHERE user_id = $2 AND id = $3",
            [.blob(secretHash), .id(caller.userID), .id(caller.sessionID)])
        guard found > 0 else {
            throw DatabaseError.constraintViolation("a cookie needs a session")
        }
        try execute(
            "INSERT INTO web_sessions (secret_hash, user_id, session_id) VALUES ($1, $2, $3)",
            [.blob(secretHash), .id(caller.userID), .id(caller.sessionID)]
        )
        forgetTokens(of: caller.sessionID)
    }

    /// Extends a browser's session without changing its tokens.
    public func extendSession(
        _ caller: Caller, accessExpiresAt: Date, refreshExpiresAt: Date
    ) throws {
        try execute(
            """
            UPDATE sessions SET access_expires_at = $1, refresh_expires_at = $2, last_used_at = $3
            WHERE user_id = $4 AND id = $5
            """,
            [
                .date(accessExpiresAt), .date(refreshExpiresAt), .date(now), .id(caller.userID),
                .id(caller.sessionID),
            ])
        forgetTokens(of: caller.sessionID)
    }

    func deleteWebSecret(of caller: Caller) throws {
        let secret: Data? = try value(
            "SELECT web_secret_hash FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        guard let secret else { return }
        try deleteValues([.blob(secret)], from: "web_sessions", by: "secret_hash")
    }
}
