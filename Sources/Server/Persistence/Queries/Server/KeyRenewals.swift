import Domain
import Foundation

/// A place in a table whose rows have a person and an id, in the order of both.
public struct RowPlace: Equatable, Sendable {
    public var user: UserID
    public var id: UUID

    public init(user: UserID, id: UUID) {
        self.user = user
        self.id = id
    }

    /// The place before all rows.
    public static let start: RowPlace = {
        let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return RowPlace(user: UserID(zero), id: zero)
    }()

    fileprivate var values: [SQLValue] { [.id(user), .uuid(id)] }
}

public protocol PlacedRow: Sendable {
    var place: RowPlace { get }
}

/// A webhook's access token, as stored.
public struct SealedTokenRow: PlacedRow {
    public var place: RowPlace
    public var sealed: Data
}

/// A push address and its hash, as stored.
public struct PushAddressRow: PlacedRow {
    public enum Table: String, Sendable, CaseIterable {
        case browsers = "push_subscriptions"
        case apps = "app_endpoints"
    }

    public var place: RowPlace
    public var address: String
    public var hash: Data
}

/// A block. The place is the blocker with the id of the blocked person.
public struct BlockHashRow: PlacedRow {
    public var place: RowPlace
    public var hash: Data
}

/// Pages of the rows with values that depend on the server's key.
extension SQLConnection {
    public func sealedTokens(after place: RowPlace, limit: Int) throws -> [SealedTokenRow] {
        try query(
            """
            SELECT user_id, id, token FROM devices
            WHERE token IS NOT NULL AND (user_id, id) > ($1, $2) ORDER BY user_id, id LIMIT $3
            """, place.values + [.int(limit)]
        ) {
            SealedTokenRow(
                place: RowPlace(user: try $0["user_id"], id: try $0["id"]),
                sealed: try $0["token"])
        }
    }

    public func pushAddresses(
        in table: PushAddressRow.Table, after place: RowPlace, limit: Int
    ) throws -> [PushAddressRow] {
        try query(
            """
            SELECT user_id, id, url, address_hash FROM \(table.rawValue)
            WHERE (user_id, id) > ($1, $2) ORDER BY user_id, id LIMIT $3
            """, place.values + [.int(limit)]
        ) {
            PushAddressRow(
                place: RowPlace(user: try $0["user_id"], id: try $0["id"]),
                address: try $0["url"], hash: try $0["address_hash"])
        }
    }

    public func blockHashes(after place: RowPlace, limit: Int) throws -> [BlockHashRow] {
        try query(
            """
            SELECT blocker_id, blocked_id, phone_hash FROM blocks
            WHERE (blocker_id, blocked_id) > ($1, $2) ORDER BY blocker_id, blocked_id LIMIT $3
            """, place.values + [.int(limit)]
        ) {
            BlockHashRow(
                place: RowPlace(user: try $0["blocker_id"], id: try $0["blocked_id"]),
                hash: try $0["phone_hash"])
        }
    }
}

/// Each change applies only to a row that still has the old value.
extension Transaction {
    public func renew(_ row: SealedTokenRow, as new: Data) throws {
        try execute(
            "UPDATE devices SET token = $1 WHERE user_id = $2 AND id = $3 AND token = $4",
            [.blob(new)] + row.place.values + [.blob(row.sealed)])
    }

    public func renew(
        _ row: PushAddressRow, in table: PushAddressRow.Table, as new: Data
    ) throws {
        let changed = try execute(
            """
            UPDATE \(table.rawValue) SET address_hash = $1
            WHERE user_id = $2 AND id = $3 AND address_hash = $4
            """, [.blob(new)] + row.place.values + [.blob(row.hash)])
        guard changed > 0 else { return }
        try execute("DELETE FROM push_addresses WHERE hash = $1", [.blob(row.hash)])
        try execute(
            """
            INSERT INTO push_addresses (hash, user_id, subscription_id) VALUES ($1, $2, $3)
            ON CONFLICT (hash) DO UPDATE SET user_id = excluded.user_id,
                subscription_id = excluded.subscription_id
            """, [.blob(new)] + row.place.values)
    }

    public func renew(_ row: BlockHashRow, as new: Data) throws {
        try execute(
            """
            UPDATE blocks SET phone_hash = $1
            WHERE blocker_id = $2 AND blocked_id = $3 AND phone_hash = $4
            """, [.blob(new)] + row.place.values + [.blob(row.hash)])
    }
}
