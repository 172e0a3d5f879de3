import Domain
import Foundation

extension SQLConnection {
    public func blocks(of blocker: UserID) throws -> [BlockedPerson] {
        try query(
            """
            SELECT blocked_id, name, created_at FROM blocks
            WHERE blocker_id = $1 ORDER BY created_at DESC, blocked_id
            """,
            [.id(blocker)], Self.blocked)
    }

    /// Returns the block of this person, or of an earlier account with their phone number.
    /// - Parameter hashes: the number's hashes by all keys; at least one.
    public func block(
        of blocked: UserID, phoneHashes hashes: [Data], by blocker: UserID
    ) throws -> BlockedPerson? {
        for list in hashes.map({ SQLValue.blob($0) }).lists(from: 3) {
            let block = try first(
                """
                SELECT blocked_id, name, created_at FROM blocks
                WHERE blocker_id = $1 AND (blocked_id = $2 OR phone_hash IN (\(list.sql))) LIMIT 1
                """,
                [.id(blocker), .id(blocked)] + list.values, Self.blocked)
            if let block { return block }
        }
        return nil
    }

    private static func blocked(_ row: SQLRow) throws -> BlockedPerson {
        BlockedPerson(
            id: try row["blocked_id"], name: try row["name"], blockedAt: try row["created_at"])
    }

    /// Returns true if `user` has a notification about `other`, which proves that they were in
    /// touch.
    public func hasNotification(about other: UserID, of user: UserID) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM notifications WHERE about_user_id = $1 AND user_id = $2 LIMIT 1",
            [.id(other), .id(user)])
    }
}

extension Transaction {
    public func insertBlock(_ person: BlockedPerson, phoneHash: Data, by blocker: UserID) throws {
        try execute(
            """
            INSERT INTO blocks (blocker_id, blocked_id, phone_hash, name, created_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(blocker), .id(person.id), .blob(phoneHash), .text(person.name),
                .date(person.blockedAt),
            ])
        try insertAcquaintance(blocker, person.id)
    }

    public func deleteBlock(of blocked: UserID, by blocker: UserID) throws -> Bool {
        try execute(
            "DELETE FROM blocks WHERE blocker_id = $1 AND blocked_id = $2",
            [.id(blocker), .id(blocked)]) > 0
    }
}
