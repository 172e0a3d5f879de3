import Domain
import Foundation

/// An app that takes messages, as stored.
public struct AppEndpointRow: Sendable {
    public var endpoint: PushEndpoint
    /// Stands for the token.
    public var addressHash: Data

    public init(endpoint: PushEndpoint, addressHash: Data) {
        self.endpoint = endpoint
        self.addressHash = addressHash
    }
}

extension Transaction {
    /// Takes the token from whoever has it. A new token begins without the history of the old one.
    /// Returns the other user who has lost it.
    public func save(_ row: AppEndpointRow, of caller: Caller) throws -> UserID? {
        let endpoint = row.endpoint
        let loser = try takePushAddress(row.addressHash, for: endpoint, of: caller)
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
                last_failure = CASE WHEN \(isSame) THEN app_endpoints.last_failure END
            """,
            [
                .id(caller.userID), .id(endpoint.id), .id(caller.sessionID),
                .text(endpoint.kind.rawValue), .text(endpoint.url.absoluteString),
                .date(endpoint.createdAt), .blob(row.addressHash), .date(now),
            ])
        return loser
    }

    /// - Parameter key: the person, the id and the address.
    func isRegistered(_ key: [SQLValue], after time: Date) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM app_endpoints
            WHERE user_id = $1 AND id = $2 AND url = $3 AND registered_at > $4
            """, key + [.date(time)])
    }
}
