import Domain
import Foundation

public struct TokenHashes: Sendable {
    public var access: Data
    public var refresh: Data
    /// The hash of the prefix that all refresh tokens of the session share; nil for older sessions.
    public var family: Data?
    public var accessExpiresAt: Date
    public var refreshExpiresAt: Date

    public init(
        access: Data, refresh: Data, family: Data?, accessExpiresAt: Date, refreshExpiresAt: Date
    ) {
        self.access = access
        self.refresh = refresh
        self.family = family
        self.accessExpiresAt = accessExpiresAt
        self.refreshExpiresAt = refreshExpiresAt
    }
}

extension Caller {
    init(_ row: SQLRow) throws {
        self.init(userID: try row["user_id"], sessionID: try row["session_id"])
    }
}

extension Transaction {
    func insertHashes(_ hashes: [Data], of caller: Caller) throws {
        for hash in hashes {
            try execute(
                """
                INSERT INTO token_hashes (hash, user_id, session_id) VALUES ($1, $2, $3)
                ON CONFLICT (hash) DO NOTHING
                """,
                [.blob(hash), .id(caller.userID), .id(caller.sessionID)])
        }
    }

    func deleteHashes(_ hashes: [Data]) throws {
        try deleteValues(hashes.map { .blob($0) }, from: "token_hashes", by: "hash")
    }

    /// Deletes the hashes of a session's tokens, its browser's secret and its alert pass.
    func deleteHashes(of caller: Caller) throws {
        try deleteAlertPass(of: caller)
        try deleteHashes(try hashes(of: caller) + usedHashes(of: caller))
        try deleteWebSecret(of: caller)
    }

    func hashes(of caller: Caller) throws -> [Data] {
        try first(
            """
            SELECT access_hash, refresh_hash, previous_refresh_hash, family_hash FROM sessions
            WHERE user_id = $1 AND id = $2
            """,
            [.id(caller.userID), .id(caller.sessionID)]
        ) {
            let hashes: [Data?] = [
                try $0["access_hash"], try $0["refresh_hash"], try $0["previous_refresh_hash"],
                try $0["family_hash"],
            ]
            return hashes.compactMap(\.self)
        } ?? []
    }

    func usedHashes(of caller: Caller) throws -> [Data] {
        try values(
            "SELECT hash FROM used_refresh_tokens WHERE user_id = $1 AND session_id = $2",
            [.id(caller.userID), .id(caller.sessionID)])
    }
}
