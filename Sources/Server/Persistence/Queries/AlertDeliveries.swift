import Domain
import Foundation

extension SQLConnection {
    /// How many alerts the owner has had since `time`, by when the server learned of them.
    public func countAlerts(of owner: UserID, receivedSince time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND received_at > $2",
            [.id(owner), .date(time)])
    }

    /// How many messages of a channel about the alert were made for each of the recipients since
    /// `time`.
    public func countMessages(
        by channel: DeliveryChannel, about alert: AlertRow, to recipients: [UserID],
        since time: Date
    ) throws -> [UserID: Int] {
        let counts = try query(
            about: recipients,
            {
                """
                SELECT user_id, COUNT(*) AS number FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND channel = $3
                    AND created_at > $4
                    AND (reason IS NULL OR reason = '\(DeliveryReason.waitingForAnswer)')
                    AND user_id \($0)
                GROUP BY user_id
                """
            }, [.id(alert.userID), .id(alert.id), .text(channel.rawValue), .date(time)]
        ) { (try $0["user_id"] as UserID, try $0["number"] as Int) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    /// The last message about the alert that a channel took for a person.
    public func lastDelivery(
        about alert: AlertKey, to person: UserID, by channel: DeliveryChannel
    ) throws -> DeliveryID? {
        try value(
            """
            SELECT id FROM deliveries
            WHERE user_id = $1 AND alert_user_id = $2 AND alert_id = $3 AND channel = $4
                AND attempts > 0
            ORDER BY created_at DESC, id LIMIT 1
            """, [.id(person), .id(alert.owner), .id(alert.id), .text(channel.rawValue)])
    }

    /// The message by which a channel took a notification to a person.
    public func lastDelivery(
        of notification: NotificationID, to person: UserID, by channel: DeliveryChannel
    ) throws -> DeliveryID? {
        try value(
            """
            SELECT id FROM deliveries
            WHERE user_id = $1 AND notification_id = $2 AND channel = $3 AND attempts > 0
            ORDER BY created_at DESC, id LIMIT 1
            """, [.id(person), .id(notification), .text(channel.rawValue)])
    }

    /// The recipients for whom an SMS about the end of an alert is held back: true if they
    /// had an SMS about that alert.
    public func waitingEnds(
        of owner: UserID, for recipients: [UserID]
    ) throws -> [UserID: Bool] {
        let ends = try query(
            about: recipients,
            {
                """
                SELECT user_id, EXISTS (SELECT 1 FROM deliveries AS earlier
                    WHERE earlier.alert_user_id = waiting.alert_user_id
                        AND earlier.alert_id = waiting.alert_id
                        AND earlier.user_id = waiting.user_id
                        AND earlier.channel = 'sms' AND (
                            earlier.purpose IN ('alertBegin', 'alertRepeat', 'alertNews')
                                AND earlier.state IN ('accepted', 'seen', 'acknowledged')
                            OR earlier.purpose = 'alertBegin'
                                AND earlier.reason = '\(StormRules.reason)')) AS has_heard
                FROM deliveries AS waiting
                WHERE channel = 'sms' AND next_try_at > $1 AND state = 'queued'
                    AND purpose = 'alertEnd' AND alert_user_id = $2
                    AND waiting.user_id \($0)
                """
            }, [.date(now), .id(owner)]
        ) { (try $0["user_id"] as UserID, try $0["has_heard"] as Bool) }
        return Dictionary(ends, uniquingKeysWith: { first, _ in first })
    }
}

extension Transaction {
    /// Withdraws messages of a channel about ends of the owner's alerts that were held back:
    /// another one has begun.
    public func withdrawWaitingEnds(
        of owner: UserID, for recipients: [UserID], by channel: DeliveryChannel
    ) throws {
        try execute(
            about: recipients,
            {
                """
                UPDATE deliveries SET state = 'superseded', next_try_at = NULL, updated_at = $1,
                    reason = '\(StormRules.reason)'
                WHERE channel = $2 AND next_try_at > $1 AND state = 'queued'
                    AND purpose = 'alertEnd' AND alert_user_id = $3 AND user_id \($0)
                """
            }, [.date(now), .text(channel.rawValue), .id(owner)])
    }

    /// Other alerts of the owners begin, and "is fine" about an earlier one must not be the last
    /// word on them. SMS that failed are withdrawn; those that were held back stay, because they
    /// decide whether the new alert needs one. Webhooks get every end, and get it first.
    /// - Parameter recipients: those who are notified of each owner's alert.
    /// - Returns: the owners of whose alerts an end was on its way, or is held back.
    public func overtakeEnds(for recipients: [UserID: Set<UserID>]) throws -> Set<UserID> {
        // Most alerts begin while no end is on its way.
        let affected = try endsUnderway(for: recipients)
        for (owner, people) in affected {
            for statement in Self.overtaking {
                try execute(
                    about: people.sorted(),
                    {
                        "\(statement.change) WHERE \(Self.isEnd) AND \(statement.condition) "
                            + "AND alert_user_id = $2 AND user_id \($0)"
                    }, [.date(now), .id(owner)])
            }
        }
        return Set(affected.keys)
    }

    private static let isEnd = "next_try_at IS NOT NULL AND purpose = 'alertEnd'"

    private func endsUnderway(
        for recipients: [UserID: Set<UserID>]
    ) throws -> [UserID: Set<UserID>] {
        var underway: [UserID: Set<UserID>] = [:]
        for owners in eachRun(of: recipients.keys.sorted()) {
            let people = owners.people.reduce(into: Set()) { $0.formUnion(recipients[$1] ?? []) }
            let ends = try query(
                about: people.sorted(),
                {
                    "SELECT user_id, alert_user_id FROM deliveries WHERE \(Self.isEnd) "
                        + "AND alert_user_id \(owners.condition) AND user_id \($0)"
                }, [owners.value]
            ) { (person: try $0["user_id"] as UserID, owner: try $0["alert_user_id"] as UserID) }
            for end in ends where recipients[end.owner]?.contains(end.person) == true {
                underway[end.owner, default: []].insert(end.person)
            }
        }
        return underway
    }

    private static let overtaking: [(change: String, condition: String)] = [
        (
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = 'newer-news',
                next_try_at = NULL, updated_at = $1
            """,
            """
            channel <> 'webhook' AND (state = 'retrying' OR state = 'queued' AND next_try_at <= $1)
            """
        ),
        (
            "UPDATE deliveries SET superseded = 1, reason = 'newer-news', updated_at = $1",
            "channel <> 'webhook' AND state = 'sending'"
        ),
        (
            "UPDATE deliveries SET next_try_at = $1 - 1",
            "channel = 'webhook' AND state = 'retrying' AND next_try_at >= $1"
        ),
    ]

    /// The user has checked in: reminders that have not gone out are needless.
    public func supersedeReminders(of user: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = 'checked-in',
                next_try_at = NULL, updated_at = $1
            WHERE user_id = $2 AND next_try_at IS NOT NULL AND purpose = 'reminder'
                AND state IN ('queued', 'retrying')
            """, [.date(now), .id(user)])
    }

    /// News that has not gone out is overtaken by what comes now.
    /// - Parameter recipients: nil for everybody.
    public func supersede(_ alert: AlertRow, for recipients: [UserID]? = nil) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipients: recipients, reason: "newer-news")
    }

    /// Withdraws news of responders' acts that are undone. Alarms that have not gone out stay.
    public func supersedeNews(about alert: AlertRow, for recipients: [UserID]) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipients: recipients,
            purposes: [.alertNews], reason: "newer-news")
    }
}

/// The channels by which somebody was notified of an alert, beside the stream.
public struct AlertReach: Sendable, Equatable {
    /// An SMS or a call went out, or was spared because the one before still holds.
    public var bySMS: Bool

    public init(bySMS: Bool) { self.bySMS = bySMS }
}

extension StormRules {
    /// In the ledger: an SMS that the limit has made needless.
    public static let reason = "storm"
}
