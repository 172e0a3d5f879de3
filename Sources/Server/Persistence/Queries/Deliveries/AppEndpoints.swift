import Domain
import Foundation

/// An app's push token, as stored.
public struct AppEndpointRow: Sendable {
    public var endpoint: PushEndpoint
    public var addressHash: Data
    /// The hashes by former keys.
    public var formerHashes: [Data] = []

    public init(endpoint: PushEndpoint, addressHash: Data) {
        self.endpoint = endpoint
        self.addressHash = addressHash
    }
}

public struct AppOfSession: Equatable, Sendable {
    public var userID: UserID
    public var session: SessionID
    /// The push token, as `AppToken.url`.
    public var url: URL
}

extension SQLConnection {
    /// Leaves out apps without a readable token.
    public func apps(of people: [UserID], kind: PushEndpoint.Kind) throws -> [AppOfSession] {
        let rows = try query(
            about: people,
            {
                """
                SELECT user_id, session_id, url FROM app_endpoints
                WHERE kind = $1 AND user_id \($0) ORDER BY user_id, id
                """
            }, [.text(kind.rawValue)]
        ) { row -> AppOfSession? in
            guard let url = URL(string: try row["url"]) else { return nil }
            return AppOfSession(
                userID: try row["user_id"], session: try row["session_id"], url: url)
        }
        return rows.compactMap(\.self)
    }

    /// Returns the push services of apps that this database's servers have used since `time`. An
    /// app registers at each start, and only a server with its push service accepts that.
    public func appKinds(usedSince time: Date) throws -> Set<PushEndpoint.Kind> {
        let names: [String] = try values(
            """
            SELECT DISTINCT kind FROM app_endpoints
            WHERE registered_at > $1 OR last_success_at > $1
            """, [.date(time)])
        return Set(names.compactMap { PushEndpoint.Kind(rawValue: $0) })
    }
}

extension Transaction {
    /// Saves the endpoint and takes its token from any previous owner. A new token starts without
    /// the history of the old one. Returns the other user who lost the token.
    public func save(_ row: AppEndpointRow, of caller: Caller) throws -> UserID? {
        let endpoint = row.endpoint
        noteReach(of: caller.userID)
        let loser = try takePushAddress(
            row.addressHash, row.formerHashes, for: endpoint, of: caller)
        let isSame = "app_endpoints.url = excluded.url"
        try execute(
            """
            INSERT INTO app_endpoints (user_id, id, session_id, kind, url, created_at,
                address_hash, registered_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (user_id, id) DO UPDATE SET session_id = excluded.session_id,
                kind = excluded.kind, url = excluded.url, address_hash = excluded.address_hash,
                registered_at = excluded.registered_at,
                last_success_at = CASE WHEN \(isSame) THEN app_endpoints.last_success_at END,
                failing_since = CASE WHEN \(isSame) THEN app_endpoints.failing_since END,
                last_failure = CASE WHEN \(isSame) THEN app_endpoints.last_failure END,
                received_at = CASE WHEN \(isSame) THEN app_endpoints.received_at END,
                checked_at = CASE WHEN \(isSame) THEN app_endpoints.checked_at
                    ELSE excluded.created_at END
            """,
            [
                .id(caller.userID), .id(endpoint.id), .id(caller.sessionID),
                .text(endpoint.kind.rawValue), .text(endpoint.url.absoluteString),
                .date(endpoint.createdAt), .blob(row.addressHash), .date(now),
            ])
        return loser
    }

    /// - Parameter key: the person, the endpoint's id and its URL.
    func isRegistered(_ key: [SQLValue], after time: Date) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM app_endpoints
            WHERE user_id = $1 AND id = $2 AND url = $3 AND registered_at > $4
            """, key + [.date(time)])
    }
}
