import Domain
import Foundation

extension NotificationItem {
    static let columns =
        "id, type, title, body, created_at, read_at, about_user_id, alert_id, ping_id"

    /// Reads `columns` from `first` on.
    init(_ row: any SQLRow, from first: Int = 0) {
        self.init(
            id: row.id(first), type: NotificationType(rawValue: row.text(first + 1)) ?? .system,
            title: row.text(first + 2),
            body: row.text(first + 3), createdAt: row.date(first + 4),
            readAt: row.optionalDate(first + 5),
            aboutUserID: row.optionalID(first + 6), alertID: row.optionalID(first + 7),
            pingID: row.optionalID(first + 8)
        )
    }
}

extension SQLConnection {
    public func notifications(of user: UserID, page: Page) throws -> [NotificationItem] {
        try query(
            """
            SELECT \(NotificationItem.columns) FROM notifications
            WHERE user_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC
            LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)]
        ) { NotificationItem($0) }
    }

    public func notification(_ id: NotificationID, of user: UserID) throws -> NotificationItem? {
        try first(
            "SELECT \(NotificationItem.columns) FROM notifications WHERE user_id = $1 AND id = $2",
            [.id(user), .id(id)]
        ) { NotificationItem($0) }
    }
}

extension Transaction {
    public func insert(_ item: NotificationItem, of user: UserID) throws {
        try execute(
            """
            INSERT INTO notifications (user_id, id, type, title, body, created_at, about_user_id,
            alert_id, ping_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(user), .id(item.id), .text(item.type.rawValue), .text(item.title),
                .text(item.body), .date(item.createdAt),
                .id(item.aboutUserID), .id(item.alertID), .id(item.pingID),
            ]
        )
    }

    /// Marks notifications as read, and their deliveries as seen: nothing more is sent of them.
    public func markRead(_ some: SomeNotifications, of user: UserID, at now: Date) throws {
        try execute(
            """
            UPDATE notifications SET read_at = $1
            WHERE user_id = $2 AND read_at IS NULL AND \(some.condition(3))
            """,
            [.date(now), .id(user), some.value]
        )
        try execute(
            """
            UPDATE deliveries SET state = 'seen', updated_at = $1, next_try_at = NULL
            WHERE user_id = $2 AND state IN ('queued', 'sending', 'retrying', 'accepted')
                AND notification_id IN
                    (SELECT id FROM notifications WHERE user_id = $2 AND \(some.condition(3)))
            """,
            [.date(now), .id(user), some.value]
        )
    }

    /// Returns the number of deleted notifications. Their owner has seen them: nothing more is
    /// sent.
    @discardableResult
    public func deleteNotifications(
        _ some: SomeNotifications, of user: UserID, at now: Date
    ) throws -> Int {
        try markRead(some, of: user, at: now)
        return try execute(
            "DELETE FROM notifications WHERE user_id = $1 AND \(some.condition(2))",
            [.id(user), some.value])
    }
}

/// The notifications of one user that a command concerns.
public enum SomeNotifications: Equatable, Sendable {
    case one(NotificationID)
    /// Those that existed at this moment: later ones were not seen.
    case until(Date)

    /// - Parameter number: of the statement's parameter that holds `value`.
    fileprivate func condition(_ number: Int) -> String {
        switch self {
        case .one: "id = $\(number)"
        case .until: "created_at <= $\(number)"
        }
    }

    fileprivate var value: SQLValue {
        switch self {
        case .one(let id): .id(id)
        case .until(let time): .date(time)
        }
    }
}
