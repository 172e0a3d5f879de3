import Domain
import Foundation

/// A sign-in lock that was turned on, or the age of recovery codes without a lock.
public struct SignInLockRow: Equatable, Sendable {
    /// When the lock ends; nil if it stays on.
    public var endsAt: Date?
    /// When recovery codes were last made without an old one; nil if that was long ago or never.
    public var codesMadeAt: Date?

    /// A lock that has been off since 1970, so that no correction of the clock turns it on.
    public static let off = SignInLockRow(endsAt: Date(milliseconds: 0))

    public init(endsAt: Date? = nil, codesMadeAt: Date? = nil) {
        self.endsAt = endsAt
        self.codesMadeAt = codesMadeAt
    }
}

public struct SignInWaitRow: Equatable, Sendable {
    public var wait: SignInWait
    /// When a session stopped the wait; nil if none did.
    public var stoppedAt: Date?

    public init(_ wait: SignInWait, stoppedAt: Date? = nil) {
        self.wait = wait
        self.stoppedAt = stoppedAt
    }
}

extension SQLConnection {
    /// Returns the lock of an account, which may have ended; nil if it is off.
    public func signInLock(of user: UserID) throws -> SignInLockRow? {
        try first(
            "SELECT ends_at, codes_made_at FROM sign_in_locks WHERE user_id = $1", [.id(user)]
        ) {
            SignInLockRow(endsAt: try $0["ends_at"], codesMadeAt: try $0["codes_made_at"])
        }
    }

    public func hasSignInLock(_ user: UserID) throws -> Bool {
        guard let lock = try signInLock(of: user) else { return false }
        return SignInLockRules.isOn(endsAt: lock.endsAt, at: now)
    }

    /// Returns the session that began the end of the lock; nil if the lock stays on or is off.
    public func sessionOfLockEnd(of user: UserID) throws -> SessionID? {
        guard let end = try signInLock(of: user)?.endsAt, now < end else { return nil }
        return try newestRequest(RequestKeyRow.signInLockEnd, of: user)?.outcome.map {
            SessionID($0)
        }
    }

    /// Returns everyone whose lock was turned off and ends after a time.
    public func peopleWithSignInLock(endingAfter time: Date) throws -> [UserID] {
        try values(
            "SELECT user_id FROM sign_in_locks WHERE ends_at > $1 ORDER BY user_id", [.date(time)])
    }

    /// Returns the last wait of an account; nil before the first one, and after its use.
    public func signInWait(of user: UserID) throws -> SignInWaitRow? {
        try first(
            """
            SELECT device_name, started_at, ends_at, stopped_at FROM sign_in_waits
            WHERE user_id = $1
            """, [.id(user)]
        ) {
            SignInWaitRow(
                SignInWait(
                    deviceName: try $0["device_name"], startedAt: try $0["started_at"],
                    endsAt: try $0["ends_at"]),
                stoppedAt: try $0["stopped_at"])
        }
    }

    /// Returns the state that the person sees. A wait counts until it can no longer be used.
    public func signInSecurity(of user: UserID) throws -> SignInSecurity {
        var security = SignInSecurity(recoveryCodes: try recoveryCodes(of: user))
        guard let lock = try signInLock(of: user),
            SignInLockRules.isOn(endsAt: lock.endsAt, at: now)
        else { return security }
        security.isLocked = true
        security.lockEndsAt = lock.endsAt
        if let row = try signInWait(of: user), row.stoppedAt == nil,
            now < row.wait.endsAt.adding(SignInLockRules.use)
        {
            security.wait = row.wait
        }
        return security
    }

    public func recoveryCodes(of user: UserID) throws -> Int {
        try count("SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1", [.id(user)])
    }

    /// Returns people with recovery codes that another key of the server has made.
    /// - Parameter mark: the first bytes of the codes of the present key.
    public func peopleWithRecoveryCodes(without mark: Data, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT DISTINCT user_id FROM recovery_codes WHERE substr(hash, 1, \(mark.count)) <> $1
            ORDER BY user_id LIMIT $2
            """, [.blob(mark), .int(limit)])
    }

    public func recoveryCodeHashes(of user: UserID) throws -> Set<Data> {
        Set(
            try query("SELECT hash FROM recovery_codes WHERE user_id = $1", [.id(user)]) {
                try $0["hash"] as Data
            })
    }
}

extension Transaction {
    /// Turns the lock on, or changes it.
    public func setSignInLock(_ lock: SignInLockRow, of user: UserID) throws {
        try execute(
            """
            INSERT INTO sign_in_locks (user_id, ends_at, codes_made_at) VALUES ($1, $2, $3)
            ON CONFLICT (user_id) DO UPDATE SET ends_at = excluded.ends_at,
                codes_made_at = excluded.codes_made_at
            """, [.id(user), .date(lock.endsAt), .date(lock.codesMadeAt)])
    }

    /// Records which session began the end of the lock, in place of the last one.
    /// - Parameter key: a new id.
    public func recordLockEnd(by session: Caller, key: UUID) throws {
        let request = RequestKeyRow.signInLockEnd
        try execute(
            "DELETE FROM request_keys WHERE user_id = $1 AND request = $2",
            [.id(session.userID), .text(request)])
        try insert(
            RequestKeyRow(request: request, outcome: session.sessionID.uuid), key: key,
            of: session.userID)
    }

    public func deleteSignInLock(of user: UserID) throws {
        try execute("DELETE FROM sign_in_locks WHERE user_id = $1", [.id(user)])
    }

    public func save(_ row: SignInWaitRow, of user: UserID) throws {
        try execute(
            """
            INSERT INTO sign_in_waits (user_id, device_name, started_at, ends_at, stopped_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (user_id) DO UPDATE SET device_name = excluded.device_name,
                started_at = excluded.started_at, ends_at = excluded.ends_at,
                stopped_at = excluded.stopped_at
            """,
            [
                .id(user), .text(row.wait.deviceName), .date(row.wait.startedAt),
                .date(row.wait.endsAt), .date(row.stoppedAt),
            ])
    }

    public func deleteSignInWait(of user: UserID) throws {
        try execute("DELETE FROM sign_in_waits WHERE user_id = $1", [.id(user)])
    }

    /// Deletes everyone's waits, except those that a session has stopped.
    public func deleteUnstoppedSignInWaits() throws {
        try execute("DELETE FROM sign_in_waits WHERE stopped_at IS NULL", [])
    }

    /// Replaces all recovery codes.
    public func setRecoveryCodes(_ hashes: [Data], of user: UserID) throws {
        try execute("DELETE FROM recovery_codes WHERE user_id = $1", [.id(user)])
        for hash in hashes {
            try execute(
                "INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)",
                [.id(user), .blob(hash)])
        }
    }

    /// Returns false for an unknown, used or replaced code.
    /// - Parameter hashes: all hashes that the code may be stored with.
    public func useRecoveryCode(_ hashes: [Data], of user: UserID) throws -> Bool {
        for hash in hashes {
            let deleted = try execute(
                "DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2",
                [.id(user), .blob(hash)])
            if deleted > 0 { return true }
        }
        return false
    }

    /// Deletes the codes of a person that another key of the server has made.
    public func deleteRecoveryCodes(of user: UserID, without mark: Data) throws {
        try execute(
            """
            DELETE FROM recovery_codes
            WHERE user_id = $1 AND substr(hash, 1, \(mark.count)) <> $2
            """, [.id(user), .blob(mark)])
    }

    /// Deletes everyone's codes that were made before the last rotation of the server's key.
    /// - Parameter mark: the first bytes of the newer ones.
    public func deleteRecoveryCodes(without mark: Data) throws {
        try execute(
            "DELETE FROM recovery_codes WHERE substr(hash, 1, \(mark.count)) <> $1",
            [.blob(mark)])
    }
}
