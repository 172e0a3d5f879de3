import Domain
import Foundation

public struct PushSubscriptionKeys: Sendable, Equatable {
    /// The browser's public key for the key agreement.
    public var p256dh: Data
    public var auth: Data
    /// The server's public key that the browser subscribed with.
    public var serverKey: Data

    public init(p256dh: Data, auth: Data, serverKey: Data) {
        self.p256dh = p256dh
        self.auth = auth
        self.serverKey = serverKey
    }

    /// - Returns: nil if the row is not a subscription.
    init?(_ row: SQLRow) throws {
        guard try !row.isNull("p256dh") else { return nil }
        self.init(
            p256dh: try row["p256dh"], auth: try row["auth"], serverKey: try row["server_key"])
    }
}

/// A browser's push subscription, as stored.
public struct PushSubscriptionRow: Sendable {
    public var endpoint: PushEndpoint
    /// The hash of the push service's address for this browser, which is a secret.
    public var addressHash: Data
    public var keys: PushSubscriptionKeys
    /// The hashes by former keys.
    public var formerHashes: [Data] = []

    public init(endpoint: PushEndpoint, addressHash: Data, keys: PushSubscriptionKeys) {
        self.endpoint = endpoint
        self.addressHash = addressHash
        self.keys = keys
    }
}

extension PushEndpoint.Kind {
    /// The table of this kind. Columns that all kinds share have the same names in all tables.
    var table: String {
        switch self {
        case .webPush: "push_subscriptions"
        case .apns, .fcm: "app_endpoints"
        case .webhook, .unknown: "devices"
        }
    }

    static let tables = Set(allCases.map(\.table)).sorted()
    /// The tables of endpoints whose address belongs to one person at a time.
    static let tablesOfAddresses = ["app_endpoints", "push_subscriptions"]
}

private struct PushAddressHolder {
    let user: UserID
    let id: PushEndpointID
}

extension SQLConnection {
    /// Returns the user whose browser or app has this address.
    public func owner(ofPushAddress hash: Data) throws -> UserID? {
        try value("SELECT user_id FROM push_addresses WHERE hash = $1", [.blob(hash)])
    }

    fileprivate func holder(ofPushAddress hash: Data) throws -> PushAddressHolder? {
        try first(
            "SELECT user_id, subscription_id FROM push_addresses WHERE hash = $1", [.blob(hash)]
        ) { PushAddressHolder(user: try $0["user_id"], id: try $0["subscription_id"]) }
    }

    /// Returns the keys of the caller's browser; nil if there is none with this id.
    public func pushKeys(of id: PushEndpointID, _ caller: Caller) throws -> PushSubscriptionKeys? {
        let keys = try first(
            """
            SELECT p256dh, auth, server_key FROM push_subscriptions
            WHERE user_id = $1 AND id = $2
            """, [.id(caller.userID), .id(id)]
        ) { row -> PushSubscriptionKeys? in try PushSubscriptionKeys(row) }
        return keys ?? nil
    }

    /// Returns the keys of other users' browsers with these addresses.
    public func keysOfOthers(
        withPushAddresses hashes: [Data], than caller: Caller
    ) throws -> [PushSubscriptionKeys] {
        try hashes.compactMap { hash -> PushSubscriptionKeys? in
            guard let holder = try holder(ofPushAddress: hash), holder.user != caller.userID else {
                return nil
            }
            let keys = try first(
                """
                SELECT p256dh, auth, server_key FROM push_subscriptions
                WHERE user_id = $1 AND id = $2 AND address_hash = $3
                """, [.id(holder.user), .id(holder.id), .blob(hash)]
            ) { row -> PushSubscriptionKeys? in try PushSubscriptionKeys(row) }
            return keys ?? nil
        }
    }
}

extension Transaction {
    /// Saves a subscription and takes its address from any previous owner. A new address starts
    /// without the history of the old one. Returns the other user who lost the address.
    public func save(_ row: PushSubscriptionRow, of caller: Caller) throws -> UserID? {
        let endpoint = row.endpoint
        noteReach(of: caller.userID)
        let loser = try takePushAddress(
            row.addressHash, row.formerHashes, for: endpoint, of: caller)
        let isSame = "push_subscriptions.url = excluded.url"
        try execute(
            """
            INSERT INTO push_subscriptions (user_id, id, session_id, url, created_at, address_hash,
                p256dh, auth, server_key)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (user_id, id) DO UPDATE SET session_id = excluded.session_id,
                url = excluded.url, address_hash = excluded.address_hash,
                p256dh = excluded.p256dh, auth = excluded.auth, server_key = excluded.server_key,
                last_success_at = CASE WHEN \(isSame) THEN push_subscriptions.last_success_at END,
                failing_since = CASE WHEN \(isSame) THEN push_subscriptions.failing_since END,
                last_failure = CASE WHEN \(isSame) THEN push_subscriptions.last_failure END,
                received_at = CASE WHEN \(isSame) THEN push_subscriptions.received_at END,
                checked_at = CASE WHEN \(isSame) THEN push_subscriptions.checked_at
                    ELSE excluded.created_at END
            """,
            [
                .id(caller.userID), .id(endpoint.id), .id(caller.sessionID),
                .text(endpoint.url.absoluteString), .date(endpoint.createdAt),
                .blob(row.addressHash), .blob(row.keys.p256dh), .blob(row.keys.auth),
                .blob(row.keys.serverKey),
            ])
        return loser
    }

    /// Takes an address from any previous owner. Deletes endpoints of other kinds with this id.
    /// Returns the other user who lost the address.
    func takePushAddress(
        _ hash: Data, _ former: [Data], for endpoint: PushEndpoint, of caller: Caller
    ) throws -> UserID? {
        var loser: UserID?
        for known in [hash] + former {
            guard let old = try holder(ofPushAddress: known) else { continue }
            if old.user != caller.userID || old.id != endpoint.id {
                try forgetPushEndpoint(old.id, of: old.user)
            }
            if old.user != caller.userID { loser = loser ?? old.user }
        }
        let key: [SQLValue] = [.id(caller.userID), .id(endpoint.id)]
        try forgetPushAddresses("id = $2", key)
        for table in PushEndpoint.Kind.tables where table != endpoint.kind.table {
            try execute("DELETE FROM \(table) WHERE user_id = $1 AND id = $2", key)
        }
        try execute(
            """
            INSERT INTO push_addresses (hash, user_id, subscription_id) VALUES ($1, $2, $3)
            ON CONFLICT (hash) DO UPDATE SET user_id = excluded.user_id,
                subscription_id = excluded.subscription_id
            """,
            [.blob(hash), .id(caller.userID), .id(endpoint.id)])
        return loser
    }

    /// Deletes addresses of a person's browsers and apps.
    /// - Parameters:
    ///   - condition: a condition on endpoints, in addition to their person.
    ///   - values: the person, then the condition's values.
    func forgetPushAddresses(_ condition: String, _ values: [SQLValue]) throws {
        for table in PushEndpoint.Kind.tablesOfAddresses {
            let hashes: [Data] = try self.values(
                "SELECT address_hash FROM \(table) WHERE user_id = $1 AND \(condition)", values)
            try deleteValues(hashes.map { .blob($0) }, from: "push_addresses", by: "hash")
        }
    }

    /// Deletes a session's browsers and apps, but not its webhooks.
    func deletePushAddresses(of caller: Caller) throws {
        let key: [SQLValue] = [.id(caller.userID), .id(caller.sessionID)]
        try forgetPushAddresses("session_id = $2", key)
        for table in PushEndpoint.Kind.tablesOfAddresses {
            try execute("DELETE FROM \(table) WHERE user_id = $1 AND session_id = $2", key)
        }
    }

    /// Records that a device received a delivery, even one that counted as failed. Returns true if
    /// the row has changed.
    @discardableResult
    public func markReceived(_ id: DeliveryID, of user: UserID) throws -> Bool {
        let isOpen = "state IN ('queued', 'sending', 'retrying', 'failed', 'givenUp')"
        let hasChanged =
            try execute(
                """
                UPDATE deliveries SET received_at = $1, updated_at = $1, next_try_at = NULL,
                    reason = CASE WHEN \(isOpen) THEN NULL ELSE reason END,
                    state = CASE WHEN \(isOpen) THEN 'accepted' ELSE state END
                WHERE user_id = $2 AND id = $3 AND channel IN ('webPush', 'apns', 'fcm')
                    AND received_at IS NULL
                """, [.date(now), .id(user), .id(id)]) > 0
        if hasChanged { try proveDevice(of: id, of: user) }
        return hasChanged
    }
}
