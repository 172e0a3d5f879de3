import Domain
import Foundation

/// What proves a caller, as it is stored: hashes only.
public struct SessionRow: Sendable, Equatable {
    public var caller: Caller
    public var accessExpiresAt: Date
    public var refreshExpiresAt: Date

    public init(caller: Caller, accessExpiresAt: Date, refreshExpiresAt: Date) {
        self.caller = caller
        self.accessExpiresAt = accessExpiresAt
        self.refreshExpiresAt = refreshExpiresAt
    }
}

extension SQLConnection {
    public func session(accessHash: Data) throws -> SessionRow? {
        try session("access_hash", accessHash)
    }

    public func session(refreshHash: Data) throws -> SessionRow? {
        try session("refresh_hash", refreshHash)
    }

    private func session(_ column: String, _ hash: Data) throws -> SessionRow? {
        try first(
            "SELECT user_id, id, access_expires_at, refresh_expires_at FROM sessions WHERE \(column) = $1", [.blob(hash)]
        ) { SessionRow(caller: Caller(userID: $0.id(0), sessionID: $0.id(1)), accessExpiresAt: $0.date(2), refreshExpiresAt: $0.date(3)) }
    }

    public func hasSession(_ caller: Caller) throws -> Bool {
        try first("SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2", [.id(caller.userID), .id(caller.sessionID)]) { _ in true } ?? false
    }

    /// Whose refresh token this was before it was exchanged.
    public func sessionOfUsedRefreshToken(_ hash: Data) throws -> Caller? {
        try first("SELECT user_id, session_id FROM used_refresh_tokens WHERE hash = $1", [.blob(hash)]) {
            Caller(userID: $0.id(0), sessionID: $0.id(1))
        }
    }

    public func sessions(of caller: Caller) throws -> [Session] {
        try query(
            "SELECT id, device_name, created_at, last_used_at FROM sessions WHERE user_id = $1 ORDER BY last_used_at DESC, id",
            [.id(caller.userID)]
        ) { row in
            let id: SessionID = row.id(0)
            return Session(id: id, deviceName: row.text(1), createdAt: row.date(2), lastUsedAt: row.date(3), isCurrent: id == caller.sessionID)
        }
    }
}

extension Transaction {
    public func insertSession(
        _ caller: Caller, deviceName: String, accessHash: Data, refreshHash: Data, accessExpiresAt: Date, refreshExpiresAt: Date, at now: Date
    ) throws {
        try execute(
            """
            INSERT INTO sessions (user_id, id, device_name, access_hash, access_expires_at, refresh_hash, refresh_expires_at,
                created_at, last_used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
            """,
            [
                .id(caller.userID), .id(caller.sessionID), .text(deviceName), .blob(accessHash), .date(accessExpiresAt),
                .blob(refreshHash), .date(refreshExpiresAt), .date(now),
            ]
        )
    }

    /// Exchanges the tokens; the old refresh token is remembered, so that its reuse can be noticed.
    public func rotateSession(
        _ caller: Caller, oldRefreshHash: Data, accessHash: Data, refreshHash: Data, accessExpiresAt: Date, refreshExpiresAt: Date, at now: Date
    ) throws {
        try execute(
            "INSERT INTO used_refresh_tokens (hash, user_id, session_id) VALUES ($1, $2, $3)",
            [.blob(oldRefreshHash), .id(caller.userID), .id(caller.sessionID)]
        )
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

    /// Ends a session and its push endpoints. Returns whether there was one.
    public func deleteSession(_ caller: Caller) throws -> Bool {
        try execute("DELETE FROM devices WHERE user_id = $1 AND session_id = $2", [.id(caller.userID), .id(caller.sessionID)])
        forget(session: caller.sessionID)
        return try execute("DELETE FROM sessions WHERE user_id = $1 AND id = $2", [.id(caller.userID), .id(caller.sessionID)]) > 0
    }
}

// MARK: Sign-in codes

public struct CodeRow: Sendable, Equatable {
    public var id: UUID
    public var hash: Data
    public var expiresAt: Date
    public var triesLeft: Int

    public init(id: UUID, hash: Data, expiresAt: Date, triesLeft: Int) {
        self.id = id
        self.hash = hash
        self.expiresAt = expiresAt
        self.triesLeft = triesLeft
    }
}

extension SQLConnection {
    public func codeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [Date] {
        try query(
            "SELECT created_at FROM sign_in_codes WHERE phone_number = $1 AND created_at > $2", [.text(phoneNumber.text), .date(since)]
        ) { $0.date(0) }
    }

    public func codeTimes(addressHash: Data, since: Date) throws -> [Date] {
        try query(
            "SELECT created_at FROM sign_in_codes WHERE address_hash = $1 AND created_at > $2", [.blob(addressHash), .date(since)]
        ) { $0.date(0) }
    }

    /// The newest code of a number: an older one is worthless from then on.
    public func newestCode(for number: PhoneNumber) throws -> CodeRow? {
        try first(
            """
            SELECT id, code_hash, expires_at, tries_left FROM sign_in_codes
            WHERE phone_number = $1 ORDER BY created_at DESC, id DESC LIMIT 1
            """,
            [.text(number.text)]
        ) { CodeRow(id: $0.uuid(0), hash: $0.blob(1), expiresAt: $0.date(2), triesLeft: Int($0.integer(3))) }
    }
}

extension Transaction {
    public func insertCode(_ code: CodeRow, phoneNumber: PhoneNumber, addressHash: Data, at now: Date) throws {
        try execute(
            """
            INSERT INTO sign_in_codes (id, phone_number, address_hash, code_hash, created_at, expires_at, tries_left)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .uuid(code.id), .text(phoneNumber.text), .blob(addressHash), .blob(code.hash), .date(now), .date(code.expiresAt),
                .int(code.triesLeft),
            ]
        )
    }

    /// One try less; 0 when it was right, so that nobody uses it twice.
    public func setTries(_ left: Int, of code: UUID) throws {
        try execute("UPDATE sign_in_codes SET tries_left = $1 WHERE id = $2", [.int(left), .uuid(code)])
    }
}
