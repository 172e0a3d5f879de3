import Domain
import Foundation

extension SQLConnection {
    /// The session that a browser's cookie stands for.
    public func session(webSecretHash hash: Data) throws -> SessionRow? {
        try first(
            """
            SELECT s.user_id, s.id, s.access_expires_at, s.refresh_expires_at FROM web_sessions w
            JOIN sessions s ON s.user_id = w.user_id AND s.id = w.session_id WHERE w.secret_hash = $1
            """,
            [.blob(hash)]
        ) { SessionRow(caller: Caller(userID: $0.id(0), sessionID: $0.id(1)), accessExpiresAt: $0.date(2), refreshExpiresAt: $0.date(3)) }
    }
}

extension Transaction {
    /// Lets a cookie stand for a session, and no other cookie any more. Throws `constraintViolation` when there is no such session.
    public func bindWebSession(_ caller: Caller, secretHash: Data) throws {
        try execute("DELETE FROM web_sessions WHERE user_id = $1 AND session_id = $2", [.id(caller.userID), .id(caller.sessionID)])
        try execute(
            "INSERT INTO web_sessions (secret_hash, user_id, session_id) VALUES ($1, $2, $3)",
            [.blob(secretHash), .id(caller.userID), .id(caller.sessionID)]
        )
    }

    /// Gives a session new tokens in place of those that nobody has any more.
    public func reissueSession(
        _ caller: Caller, accessHash: Data, refreshHash: Data, accessExpiresAt: Date, refreshExpiresAt: Date, at now: Date
    ) throws {
        try execute(
            """
            UPDATE sessions SET access_hash = $1, access_expires_at = $2, refresh_hash = $3, refresh_expires_at = $4, last_used_at = $5
            WHERE user_id = $6 AND id = $7
            """,
            [
                .blob(accessHash), .date(accessExpiresAt), .blob(refreshHash), .date(refreshExpiresAt), .date(now),
                .id(caller.userID), .id(caller.sessionID),
            ]
        )
        forgetTokens(of: caller.sessionID)
    }
}
