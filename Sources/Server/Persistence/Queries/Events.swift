import Domain
import Foundation

extension SQLConnection {
    /// Events after a sequence number, in order.
    public func events(of user: UserID, after sequence: Int64, limit: Int) throws -> [StoredEvent] {
        try query(
            """
            SELECT sequence, kind, data FROM events WHERE user_id = $1 AND sequence > $2
            ORDER BY sequence LIMIT $3
            """,
            [.id(user), .integer(sequence), .int(limit)]
        ) { row in
            guard let kind = UserEvent.Kind(rawValue: try row["kind"]) else {
                throw DatabaseError.unreadable("an event of an unknown kind")
            }
            let data: String = try row["data"]
            let notificationID: NotificationID? =
                if kind == .notification,
                    case .notification(let item) = try UserEvent(kind: kind, data: data)
                { item.id } else { nil }
            return StoredEvent(
                userID: user, sequence: try row["sequence"], kind: kind, data: data,
                notificationID: notificationID)
        }
    }

    /// The first and the last number in the log; nil when the user has no events.
    public func eventRange(of user: UserID) throws -> ClosedRange<Int64>? {
        try first(
            """
            SELECT MIN(sequence) AS first, MAX(sequence) AS last FROM events WHERE user_id = $1
            """,
            [.id(user)]
        ) { row -> ClosedRange<Int64>? in
            guard let first: Int64 = try row["first"] else { return nil }
            return try first...row["last"]
        } ?? nil
    }
}
