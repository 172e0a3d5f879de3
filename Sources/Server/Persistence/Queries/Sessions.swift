import Domain
import Foundation

/// A session as stored: hashes of its tokens only.
public struct SessionRow: Sendable, Equatable {
    public var caller: Caller
    public var accessExpiresAt: Date
    public var refreshExpiresAt: Date
    public var lastUsedAt: Date
    /// nil for a session from before refresh tokens named their session.
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

    /// The session whose refresh token before the current one this is.
    public func session(previousRefreshHash: Data) throws -> SessionRow? {
        try session("previous_refresh_hash", previousRefreshHash)
    }

    /// The session to which a refresh token belongs or belonged.
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

    /// The session that has or had a token with this hash.
    private func caller(ofHash hash: Data) throws -> Caller? {
        try first(
            "SELECT user_id, session_id FROM token_hashes WHERE hash = $1", [.blob(hash)],
            Caller.init)
    }

    public func hasSession(_ caller: Caller) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
    }

    /// The session of an exchanged refresh token, of those that do not name their session.
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

    /// The person whose session has or had this refresh token.
    public func owners(ofRefreshHash hash: Data, family: Data) throws -> [UserID] {
        [try caller(ofHash: hash) ?? caller(ofHash: family)].compactMap(\.?.userID)
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

    /// Exchanges the tokens of a session. The refresh token that was shown stays valid as the
    /// previous one until the new one is shown; with that, its family tells that it was used.
    public func rotateSession(_ caller: Caller, shown: Data, to tokens: TokenHashes) throws {
        try setTokens(tokens, previous: shown, of: caller)
    }

    /// Notes a used refresh token that does not name its session, so that its reuse can be noticed.
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

    /// Ends a session and its push endpoints. Returns whether there was one.
    public func deleteSession(_ caller: Caller) throws -> Bool {
        try deletePushAddresses(of: caller)
        try execute(
            "DELETE FROM devices WHERE user_id = $1 AND session_id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        try deleteHashes(of: caller)
        let count = try execute(
            "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
        // An id that somebody has guessed ends nobody's streams.
        guard count > 0 else { return false }
        forget(session: caller.sessionID)
        return true
    }
}
