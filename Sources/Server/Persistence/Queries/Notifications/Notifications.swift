import Domain
import Foundation

extension NotificationItem {
    static let columns = """
        id, type, title, body, created_at, read_at, about_user_id, alert_id, ping_id, session_id,
        kind
        """

    init(_ row: SQLRow) throws {
        let kind: String? = try row["kind"]
        self.init(
            id: try row["id"], type: NotificationType(stored: try row["type"]),
            title: try row["title"], body: try row["body"], createdAt: try row["created_at"],
            readAt: try row["read_at"], aboutUserID: try row["about_user_id"],
            alertID: try row["alert_id"], pingID: try row["ping_id"],
            sessionID: try row["session_id"],
            kind: kind.flatMap { NotificationKind(rawValue: $0) })
    }

    /// The SQL condition for a deleted notification that limits still count. Lists omit it.
    fileprivate static let isDeleted = "(type LIKE '\(NotificationType.deletedPrefix)%')"

    /// The SQL condition for news of the account, which has messages with the purpose `other`.
    fileprivate static let isAccountNews = """
        type IN (\(NotificationType.storedNames(of: [.system])))
        AND about_user_id IS NULL AND alert_id IS NULL AND ping_id IS NULL
        """
}

extension NotificationType {
    /// Precedes the type of a deleted notification.
    fileprivate static let deletedPrefix = "deleted "

    fileprivate init(stored text: String) {
        let isDeleted = text.hasPrefix(Self.deletedPrefix)
        let name = isDeleted ? String(text.dropFirst(Self.deletedPrefix.count)) : text
        self = NotificationType(rawValue: name) ?? .system
    }

    /// Returns an SQL list of the texts that rows have for these types, deleted or not.
    static func storedNames(of types: [NotificationType]) -> String {
        types.map { "'\($0.rawValue)', '\(deletedPrefix)\($0.rawValue)'" }.joined(separator: ", ")
    }
}

extension SQLConnection {
    public func notifications(of user: UserID, page: Page) throws -> [NotificationItem] {
        try query(
            """
            SELECT \(NotificationItem.columns) FROM notifications
            WHERE user_id = $1 AND (created_at, id) < ($2, $3)
                AND NOT \(NotificationItem.isDeleted)
            ORDER BY created_at DESC, id DESC LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)], NotificationItem.init)
    }

    public func notification(_ id: NotificationID, of user: UserID) throws -> NotificationItem? {
        try first(
            """
            SELECT \(NotificationItem.columns) FROM notifications
            WHERE user_id = $1 AND id = $2 AND NOT \(NotificationItem.isDeleted)
            """, [.id(user), .id(id)], NotificationItem.init)
    }

    /// Counts notifications since `time` about other people, by recipient, person and type, deleted
    /// ones too. Omits notifications about alerts.
    public func countNews(
        to recipients: [UserID], since time: Date
    ) throws -> [UserID: [UserID: [NotificationType: Int]]] {
        let counts = try query(
            about: recipients,
            {
                """
                SELECT user_id, about_user_id, type, COUNT(*) AS number FROM notifications
                WHERE created_at > $1 AND about_user_id IS NOT NULL AND alert_id IS NULL
                    AND user_id \($0)
                GROUP BY user_id, about_user_id, type
                """
            }, [.date(time)]
        ) { row in
            (
                recipient: try row["user_id"] as UserID, actor: try row["about_user_id"] as UserID,
                type: NotificationType(stored: try row["type"]),
                number: try row["number"] as Int
            )
        }
        return counts.reduce(into: [:]) {
            $0[$1.recipient, default: [:]][$1.actor, default: [:]][$1.type, default: 0] += $1.number
        }
    }

    /// Counts notifications since `time` that are about no other person and no alert, by recipient
    /// and title. Counts deleted ones too.
    public func countOwnNews(
        to recipients: [UserID], since time: Date
    ) throws -> [UserID: [String: Int]] {
        let counts = try query(
            about: recipients,
            {
                """
                SELECT user_id, title, COUNT(*) AS number FROM notifications
                WHERE created_at > $1 AND about_user_id IS NULL AND alert_id IS NULL
                    AND user_id \($0)
                GROUP BY user_id, title
                """
            }, [.date(time)]
        ) { row in
            (
                recipient: try row["user_id"] as UserID, title: try row["title"] as String,
                number: try row["number"] as Int
            )
        }
        return counts.reduce(into: [:]) {
            $0[$1.recipient, default: [:]][$1.title] = $1.number
        }
    }

    /// Returns the reminders and last calls since `time` by SMS and call, those of deleted
    /// notifications too. Omits withdrawn ones.
    public func deadlineMessages(
        to recipients: [UserID], since time: Date
    ) throws -> [UserID: [DeadlineMessage]] {
        let messages = try query(
            about: recipients,
            {
                """
                SELECT d.user_id, d.channel, d.purpose, d.created_at
                FROM notifications n JOIN deliveries d
                    ON d.user_id = n.user_id AND d.notification_id = n.id
                WHERE n.created_at > $1 AND n.alert_id IS NULL AND d.channel IN ('sms', 'voice')
                    AND d.purpose IN ('reminder', 'lastCall') AND d.state <> 'superseded'
                    AND n.user_id \($0)
                """
            }, [.date(time)]
        ) { row in
            (
                recipient: try row["user_id"] as UserID,
                message: DeadlineMessage(
                    channel: DeliveryChannel(rawValue: try row["channel"]) ?? .unknown,
                    purpose: DeliveryPurpose(rawValue: try row["purpose"]) ?? .other,
                    createdAt: try row["created_at"])
            )
        }
        return messages.reduce(into: [:]) { $0[$1.recipient, default: []].append($1.message) }
    }

    /// Returns the person's last message about a deadline since `time` if it is a reminder that
    /// all browsers, apps and webhooks have refused, that no SMS was for, and that the person
    /// hasn't read; else nil.
    public func refusedReminder(of user: UserID, since time: Date) throws -> NotificationItem? {
        let last = try first(
            """
            SELECT notification_id, MAX(purpose) AS purpose,
                MAX(CASE WHEN device_id IS NOT NULL THEN 1 ELSE 0 END) AS was_pushed,
                MAX(CASE WHEN channel = 'sms' OR state IN ('seen', 'acknowledged')
                    OR channel NOT IN ('stream', 'console') AND state NOT IN ('failed', 'givenUp')
                    THEN 1 ELSE 0 END) AS is_told
            FROM deliveries
            WHERE created_at > $1 AND purpose IN ('reminder', 'lastCall') AND user_id = $2
            GROUP BY notification_id ORDER BY MAX(created_at) DESC LIMIT 1
            """, [.date(time), .id(user)]
        ) { row in
            (
                id: try row["notification_id"] as NotificationID,
                purpose: DeliveryPurpose(rawValue: try row["purpose"]),
                wasPushed: try row["was_pushed"] as Bool, isTold: try row["is_told"] as Bool
            )
        }
        guard let last, last.purpose == .reminder, last.wasPushed, !last.isTold else { return nil }
        return try notification(last.id, of: user)
    }
}

/// A reminder or a last call by SMS or call.
public struct DeadlineMessage: Equatable, Sendable {
    public var channel: DeliveryChannel
    public var purpose: DeliveryPurpose
    public var createdAt: Date
}

extension StoredNews {
    /// Returns the SQL condition for the row `n` of `notifications`, and its parameters.
    /// - Parameter number: the number of the first parameter.
    func condition(from number: Int) -> (sql: String, values: [SQLValue]) {
        var known = "n.kind IN (\(kinds.literals))"
        var values: [SQLValue] = []
        if let ending {
            let before = ending.unicodeScalars.count - 1
            known += " AND substr(n.title, length(n.title) - \(before)) = $\(number)"
            values.append(.text(ending))
        }
        let places = oldTitles.indices.map { "$\(number + values.count + $0)" }
            .joined(separator: ", ")
        values += oldTitles.map { .text($0) }
        return ("(\(known) OR n.kind IS NULL AND n.title IN (\(places)))", values)
    }
}

extension SQLConnection {
    /// Returns each recipient's newest notification of this news about this person. Recipients
    /// without one are omitted.
    public func lastNews(
        _ news: StoredNews, about person: UserID, to recipients: [UserID]
    ) throws -> [UserID: NotificationItem] {
        let condition = news.condition(from: 2)
        let items = try query(
            about: recipients,
            {
                """
                SELECT user_id, \(NotificationItem.columns) FROM notifications n
                WHERE n.about_user_id = $1 AND \(condition.sql) AND n.user_id \($0)
                ORDER BY created_at, id
                """
            }, [.id(person)] + condition.values
        ) { row in (recipient: try row["user_id"] as UserID, item: try NotificationItem(row)) }
        return items.reduce(into: [:]) { $0[$1.recipient] = $1.item }
    }

    /// Returns true if the user got a notification with this title about this session since `time`
    /// and hasn't deleted it.
    public func hasNews(
        ofSession session: Caller, titled title: String, since time: Date
    ) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM notifications
            WHERE user_id = $1 AND created_at > $2 AND session_id = $3 AND title = $4
                AND NOT \(NotificationItem.isDeleted) LIMIT 1
            """,
            [.id(session.userID), .date(time), .id(session.sessionID), .text(title)])
    }
}

extension Transaction {
    public func insert(_ item: NotificationItem, of user: UserID) throws {
        try insert([(user, item)])
    }

    public func insert(_ items: [(user: UserID, item: NotificationItem)]) throws {
        try insert(
            into: "notifications",
            [
                "user_id", "id", "type", "title", "body", "created_at", "about_user_id",
                "alert_id", "ping_id", "session_id", "read_at", "kind",
            ],
            items.map { user, item in
                let kind: SQLValue = item.kind.map { .text($0.rawValue) } ?? .null
                return [
                    .id(user), .id(item.id), .text(item.type.rawValue), .text(item.title),
                    .text(item.body), .date(item.createdAt),
                    .id(item.aboutUserID), .id(item.alertID), .id(item.pingID),
                    .id(item.sessionID), .date(item.readAt), kind,
                ]
            })
    }

    /// Marks notifications as read and their deliveries as seen, so that no more messages are sent
    /// about them. Withdraws unsent SMS and calls about their alerts, except those of newer
    /// notifications. Returns the number of notifications that were unread.
    ///
    /// News of the account is still sent: a thief with a session could otherwise withdraw it.
    /// - Parameter isAct: false leaves SMS, calls and pushes about open alerts as they are.
    @discardableResult
    public func markRead(
        _ some: SomeNotifications, of user: UserID, isAct: Bool = true
    ) throws -> Int {
        let alerts = try isAct ? alerts(of: some, to: user) : [:]
        for (alert, newest) in alerts.sorted(by: { $0.key.id < $1.key.id }) {
            try withdrawSteps(about: alert, for: [user], until: newest, reason: .opened)
        }
        let count = try execute(
            """
            UPDATE notifications SET read_at = $1
            WHERE user_id = $2 AND read_at IS NULL AND \(some.condition(3))
            """,
            [.date(now), .id(user), some.value]
        )
        try execute(
            """
            UPDATE deliveries SET state = 'seen', updated_at = $1, next_try_at = NULL,
                reason = \(Self.reasonOfOpening)
            WHERE user_id = $2 AND state IN ('queued', 'sending', 'retrying', 'accepted')
                AND notification_id IN
                    (SELECT id FROM notifications WHERE user_id = $2 AND \(some.condition(3)))
                AND (state = 'accepted' OR channel = 'stream' OR purpose <> 'other'
                    OR notification_id NOT IN
                        (SELECT id FROM notifications WHERE user_id = $2 AND \(some.condition(3))
                            AND \(NotificationItem.isAccountNews)))
                \(isAct ? "" : "AND (alert_id IS NULL OR NOT \(Self.climbing))")
            """,
            [.date(now), .id(user), some.value]
        )
        return count
    }

    /// Marks notifications as read and deletes them. Returns their number. Only hides those of the
    /// last day that are about no alert, because limits count them, and because news of the account
    /// is still to be sent. Its messages expire within the day. `CleanUp` deletes hidden
    /// notifications a day later, by their time of reading.
    /// - Parameter isAct: false leaves SMS, calls and pushes about open alerts as they are, and
    ///   hides their notifications, whose text is still to be sent.
    @discardableResult
    public func deleteNotifications(
        _ some: SomeNotifications, of user: UserID, isAct: Bool = true
    ) throws -> Int {
        try markRead(some, of: user, isAct: isAct)
        let isStillSent = """
            EXISTS (SELECT 1 FROM deliveries d
                WHERE d.user_id = notifications.user_id AND d.notification_id = notifications.id
                    AND d.alert_id IS NOT NULL AND d.state IN ('queued', 'sending', 'retrying')
                    AND d.channel <> 'stream' AND d.\(Self.climbing))
            """
        let day = NotificationRules.countedWhenDeleted
        let hidden = try execute(
            """
            UPDATE notifications
            SET read_at = $1, type = '\(NotificationType.deletedPrefix)' || type
            WHERE user_id = $2 AND \(some.condition(3))
                AND (alert_id IS NULL AND created_at > $4\(isAct ? "" : " OR \(isStillSent)"))
                AND NOT \(NotificationItem.isDeleted)
            """,
            [
                .date(now.adding(day - NotificationRules.keptWhenRead)), .id(user), some.value,
                .date(now.adding(.zero - day)),
            ])
        let deleted = try execute(
            """
            DELETE FROM notifications
            WHERE user_id = $1 AND \(some.condition(2)) AND NOT \(NotificationItem.isDeleted)
            """, [.id(user), some.value])
        return hidden + deleted
    }
}

/// The notifications of one user that a command applies to.
public enum SomeNotifications: Equatable, Sendable {
    case one(NotificationID)
    /// Notifications up to this time. The user hasn't seen newer ones.
    case until(Date)

    /// - Parameter number: the number of the parameter that holds `value`.
    func condition(_ number: Int) -> String {
        switch self {
        case .one: "id = $\(number)"
        case .until: "created_at <= $\(number)"
        }
    }

    var value: SQLValue {
        switch self {
        case .one(let id): .id(id)
        case .until(let time): .date(time)
        }
    }
}
