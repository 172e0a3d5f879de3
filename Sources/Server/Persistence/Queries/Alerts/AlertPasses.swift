import Domain
import Foundation

/// A session's pass for raising one alert without signing in, as stored.
public struct AlertPassRow: Sendable, Equatable {
    public var caller: Caller
    public var expiresAt: Date
    /// The alert that the pass has raised; nil before its use.
    public var alertID: AlertID?
}

extension SQLConnection {
    public func alertPass(hash: Data) throws -> AlertPassRow? {
        try caller(ofHash: hash).flatMap { caller in
            try first(
                """
                SELECT alert_pass_expires_at, alert_pass_alert_id FROM sessions
                WHERE user_id = $1 AND id = $2 AND alert_pass_hash = $3
                """,
                [.id(caller.userID), .id(caller.sessionID), .blob(hash)]
            ) {
                AlertPassRow(
                    caller: caller, expiresAt: try $0["alert_pass_expires_at"],
                    alertID: try $0["alert_pass_alert_id"])
            }
        }
    }
}

extension Transaction {
    /// Replaces the session's pass. Throws `constraintViolation` if the session doesn't exist.
    public func setAlertPass(_ hash: Data, until time: Date, of caller: Caller) throws {
        try deleteAlertPass(of: caller)
        let found = try execute(
            """
            UPDATE sessions SET alert_pass_hash = $1, alert_pass_expires_at = $2,
                alert_pass_alert_id = NULL
            WHERE user_id = $3 AND id = $4
            """,
            [.blob(hash), .date(time), .id(caller.userID), .id(caller.sessionID)])
        guard found > 0 else {
            throw DatabaseError.constraintViolation("a pass needs a session")
        }
        try insertHashes([hash], of: caller)
    }

    /// Binds the session's pass to an alert. Afterwards, the pass works for no other alert.
    public func bindAlertPass(of caller: Caller, to alert: AlertID) throws {
        try execute(
            "UPDATE sessions SET alert_pass_alert_id = $1 WHERE user_id = $2 AND id = $3",
            [.id(alert), .id(caller.userID), .id(caller.sessionID)])
    }

    func deleteAlertPass(of caller: Caller) throws {
        let hash: Data? = try value(
            "SELECT alert_pass_hash FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        if let hash { try deleteHashes([hash]) }
    }
}
