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
            guard let kind = UserEvent.Kind(rawValue: row.text(1)) else {
                throw DatabaseError.failed("an event of an unknown kind")
            }
            let data = row.text(2)
            let notificationID: NotificationID? =
                if kind == .notification,
                    case .notification(let item) = try UserEvent(kind: kind, data: data)
                { item.id } else { nil }
            return StoredEvent(
                userID: user, sequence: row.integer(0), kind: kind, data: data,
                notificationID: notificationID)
        }
    }

    /// The first and the last number in the log; nil when the user has no events.
    public func eventRange(of user: UserID) throws -> ClosedRange<Int64>? {
        try first("SELECT MIN(sequence), MAX(sequence) FROM events WHERE user_id = $1", [.id(user)])
        { row in
            row.isNull(0) ? nil : row.integer(0)...row.integer(1)
        } ?? nil
    }
}
