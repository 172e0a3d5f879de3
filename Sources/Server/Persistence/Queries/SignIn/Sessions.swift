import Domain
import Foundation

/// A session as stored. Its refresh tokens form a family: they share a prefix.
public struct SessionRow: Sendable, Equatable {
    public var caller: Caller
    public var accessExpiresAt: Date
    public var refreshExpiresAt: Date
    public var lastUsedAt: Date
    /// The hash of that prefix; nil for a session that is older than families.
    public var familyHash: Data?

    public init(
        caller: Caller, accessExpiresAt: Date, refreshExpiresAt: Date,
        lastUsedAt: Date = .distantPast,
        familyHash: Data? = nil
    ) {
        self.caller = caller
        self.accessExpiresAt = accessExpiresAt
        self.refreshExpiresAt = refreshExpiresAt
        self.lastUsedAt = lastUsedAt
        self.familyHash = familyHash
    }

    static let columns =
        "user_id, id, access_expires_at, refresh_expires_at, last_used_at, family_hash"

    init(_ row: SQLRow) throws {
        self.init(
            caller: Caller(userID: try row["user_id"], sessionID: try row["id"]),
            accessExpiresAt: try row["access_expires_at"],
            refreshExpiresAt: try row["refresh_expires_at"],
            lastUsedAt: try row["last_used_at"], familyHash: try row["family_hash"])
    }
}

extension SQLConnection {
    public func session(accessHash: Data) throws -> SessionRow? {
        try session("access_hash", accessHash)
    }

    public func session(refreshHash: Data) throws -> SessionRow? {
        try session("refresh_hash", refreshHash)
    }

    public func session(previousRefreshHash: Data) throws -> SessionRow? {
        try session("previous_refresh_hash", previousRefreshHash)
    }

    public func session(familyHash: Data) throws -> SessionRow? {
        try session("family_hash", familyHash)
    }

    private func session(_ column: String, _ hash: Data) throws -> SessionRow? {
        try caller(ofHash: hash).flatMap { try session(column, hash, of: $0) }
    }

    func session(_ column: String, _ hash: Data, of caller: Caller) throws -> SessionRow? {
        try first(
            """
            SELECT \(SessionRow.columns) FROM sessions
            WHERE user_id = $1 AND id = $2 AND \(column) = $3
            """,
            [.id(caller.userID), .id(caller.sessionID), .blob(hash)], SessionRow.init)
    }

    /// Returns the session that has or had a token with this hash.
    func caller(ofHash hash: Data) throws -> Caller? {
        try first(
            "SELECT user_id, session_id FROM token_hashes WHERE hash = $1", [.blob(hash)],
            Caller.init)
    }

    public func hasSession(_ caller: Caller) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
    }

    /// Returns the session of a used refresh token without a family.
    public func sessionOfUsedRefreshToken(_ hash: Data) throws -> Caller? {
        try caller(ofHash: hash).flatMap { caller in
            try first(
                """
                SELECT user_id, session_id FROM used_refresh_tokens
                WHERE user_id = $1 AND session_id = $2 AND hash = $3
                """,
                [.id(caller.userID), .id(caller.sessionID), .blob(hash)], Caller.init)
        }
    }

    /// Returns the person whose session has or had this refresh token.
    public func owners(ofRefreshHash hash: Data, family: Data) throws -> [UserID] {
        [try caller(ofHash: hash) ?? caller(ofHash: family)].compactMap(\.?.userID)
    }

    /// Returns sessions whose users must be warned of the expiry now, the earliest expiry first.
    public func sessionsToWarnOf(limit: Int) throws -> [Caller] {
        let (first, second) = SignInRules.expiryWarnings
        func isDue(_ lead: Duration, _ number: Int) -> String {
            """
            refresh_expires_at <= $\(number) AND (expiry_warned_at IS NULL
                OR expiry_warned_at < refresh_expires_at - \(lead.milliseconds))
            """
        }
        return try query(
            """
            SELECT user_id, id AS session_id FROM sessions
            WHERE refresh_expires_at > $1 AND (\(isDue(first, 2)) OR \(isDue(second, 3)))
            ORDER BY refresh_expires_at LIMIT $4
            """,
            [.date(now), .date(now.adding(first)), .date(now.adding(second)), .int(limit)],
            Caller.init)
    }

    public func hasOtherSession(than caller: Caller) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM sessions WHERE user_id = $1 AND id <> $2 LIMIT 1",
            [.id(caller.userID), .id(caller.sessionID)])
    }

    /// Returns what an alert's end records about this session; nil if the session has ended.
    public func ending(by caller: Caller) throws -> AlertRecord.Ending? {
        try first(
            "SELECT device_name FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)]
        ) {
            AlertRecord.Ending(
                sessionId: caller.sessionID.description, deviceName: try $0["device_name"])
        }
    }

    /// Returns when a user's sessions began, the newest first.
    public func sessionTimes(of user: UserID, since: Date, limit: Int) throws -> [Date] {
        try query(
            """
            SELECT created_at FROM sessions WHERE user_id = $1 AND created_at > $2
            ORDER BY created_at DESC LIMIT $3
            """,
            [.id(user), .date(since), .int(limit)]
        ) { try $0["created_at"] as Date }
    }

    /// Returns a user's sessions except the caller's own and the `kept` others that were used most
    /// recently. The expiry tells the last use, because a receipt or a webhook extends it without
    /// setting `last_used_at`.
    public func otherSessions(
        than caller: Caller, beyond kept: Int, limit: Int
    ) throws -> [Caller] {
        try query(
            """
            SELECT user_id, id AS session_id FROM sessions WHERE user_id = $1 AND id <> $2
            ORDER BY refresh_expires_at DESC, id LIMIT $3 OFFSET $4
            """,
            [.id(caller.userID), .id(caller.sessionID), .int(limit), .int(kept)], Caller.init)
    }

    public func sessions(of caller: Caller) throws -> [Session] {
        try query(
            """
            SELECT id, device_name, created_at, last_used_at FROM sessions WHERE user_id = $1
            ORDER BY last_used_at DESC, id
            """,
            [.id(caller.userID)]
        ) { row in
            let id: SessionID = try row["id"]
            return Session(
                id: id, deviceName: try row["device_name"], createdAt: try row["created_at"],
                lastUsedAt: try row["last_used_at"],
                isCurrent: id == caller.sessionID)
        }
    }
}

extension Transaction {
    public func insertSession(_ caller: Caller, deviceName: String, _ tokens: TokenHashes) throws {
        try execute(
            """
            INSERT INTO sessions (user_id, id, device_name, access_hash, access_expires_at,
            refresh_hash, refresh_expires_at,
                created_at, last_used_at, family_hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
            """,
            [
                .id(caller.userID), .id(caller.sessionID), .text(deviceName), .blob(tokens.access),
                .date(tokens.accessExpiresAt), .blob(tokens.refresh),
                .date(tokens.refreshExpiresAt), .date(now),
                tokens.family.map { .blob($0) } ?? .null,
            ]
        )
        try insertHashes(
            [tokens.access, tokens.refresh] + [tokens.family].compactMap(\.self), of: caller)
    }

    /// Replaces the tokens of a session. The refresh token with the hash `shown` stays valid until
    /// the new token is used. A later use of the old token is detected by its family.
    public func rotateSession(_ caller: Caller, shown: Data, to tokens: TokenHashes) throws {
        try setTokens(tokens, previous: shown, of: caller)
    }

    /// Stores a used refresh token without a family, so that a second use is detected.
    public func rememberUsedRefreshToken(_ hash: Data, of caller: Caller) throws {
        try execute(
            """
            INSERT INTO used_refresh_tokens (user_id, session_id, hash) VALUES ($1, $2, $3)
            ON CONFLICT (user_id, session_id, hash) DO NOTHING
            """,
            [.id(caller.userID), .id(caller.sessionID), .blob(hash)]
        )
        try insertHashes([hash], of: caller)
    }

    private func setTokens(_ tokens: TokenHashes, previous: Data?, of caller: Caller) throws {
        let old = try hashes(of: caller)
        let new = [tokens.access, tokens.refresh] + [previous, tokens.family].compactMap(\.self)
        let kept = Set(new).union(try usedHashes(of: caller))
        try deleteHashes(old.filter { !kept.contains($0) })
        try insertHashes(new.filter { !old.contains($0) }, of: caller)
        try execute(
            """
            UPDATE sessions SET access_hash = $1, access_expires_at = $2, refresh_hash = $3,
                refresh_expires_at = $4, previous_refresh_hash = $5, family_hash = $6,
                last_used_at = $7
            WHERE user_id = $8 AND id = $9
            """,
            [
                .blob(tokens.access), .date(tokens.accessExpiresAt), .blob(tokens.refresh),
                .date(tokens.refreshExpiresAt),
                previous.map { .blob($0) } ?? .null, tokens.family.map { .blob($0) } ?? .null,
                .date(now),
                .id(caller.userID), .id(caller.sessionID),
            ]
        )
        forgetTokens(of: caller.sessionID)
    }

    /// Records that the person is warned of a session's expiry. Returns the expiry and the device
    /// name; nil if no warning is due, for example because another server has warned.
    public func beginExpiryWarning(
        of session: Caller
    ) throws -> (end: Date, deviceName: String)? {
        let found = try first(
            """
            SELECT refresh_expires_at, expiry_warned_at, device_name FROM sessions
            WHERE user_id = $1 AND id = $2
            """, [.id(session.userID), .id(session.sessionID)]
        ) {
            (
                end: try $0["refresh_expires_at"] as Date,
                warnedAt: try $0["expiry_warned_at"] as Date?,
                deviceName: try $0["device_name"] as String
            )
        }
        guard let found,
            SignInRules.isExpiryWarningDue(expiresAt: found.end, warnedAt: found.warnedAt, at: now)
        else { return nil }
        try execute(
            "UPDATE sessions SET expiry_warned_at = $1 WHERE user_id = $2 AND id = $3",
            [.date(now), .id(session.userID), .id(session.sessionID)])
        return (found.end, found.deviceName)
    }

    /// Deletes a session with its push endpoints. Returns false if it didn't exist.
    public func deleteSession(_ caller: Caller) throws -> Bool {
        try deletePushAddresses(of: caller)
        try execute(
            "DELETE FROM devices WHERE user_id = $1 AND session_id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        try deleteHashes(of: caller)
        let count = try execute(
            "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        // A guessed session id must not end another user's streams.
        guard count > 0 else { return false }
        noteReach(of: caller.userID)
        forget(session: caller.sessionID)
        return true
    }
}
