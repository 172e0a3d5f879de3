import Domain
import Foundation

/// Deletes rows before they expire, when a person has too many of one kind.
extension Transaction {
    /// Deletes ended alerts of a person, with all messages about them.
    /// - Parameters:
    ///   - kept: the number of alerts since `time` to keep.
    ///   - newest: an alert to keep in any case.
    public func forgetAlerts(
        of owner: UserID, beyond kept: Int, since time: Date, besides newest: AlertID
    ) throws {
        guard try countAlerts(of: owner, receivedSince: time) > kept else { return }
        let people = try possibleRecipients(of: owner)
        let texted = try alertsOfRecentTexts(about: owner, to: people)
        let alerts: [AlertID] = try values(
            """
            SELECT id FROM alerts WHERE user_id = $1 AND received_at > $2 AND ended_at IS NOT NULL
                AND id <> $3
            ORDER BY received_at DESC, id DESC LIMIT $4 OFFSET $5
            """,
            [
                .id(owner), .date(time), .id(newest), .int(Self.forgottenAtOnce + texted.count),
                .int(kept - 1),
            ])
        for alert in alerts.filter({ !texted.contains($0) }).prefix(Self.forgottenAtOnce) {
            try forget(AlertKey(owner: owner, id: alert), people)
        }
    }

    /// The maximum number of alerts to delete in one write, so that other writes needn't wait long.
    private static let forgottenAtOnce = 3

    /// Returns the alerts that rate limits for SMS still need: those of recent SMS, and of the last
    /// SMS to each person.
    private func alertsOfRecentTexts(
        about owner: UserID, to people: [UserID]
    ) throws -> Set<AlertID> {
        let rows = try query(
            about: people,
            {
                """
                SELECT user_id, alert_id, MAX(created_at) AS newest FROM deliveries
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND channel = 'sms'
                    AND attempts > 0 AND user_id \($0)
                GROUP BY user_id, alert_id
                """
            }, [.id(owner)]
        ) { row in
            (
                person: try row["user_id"] as UserID, alert: try row["alert_id"] as AlertID,
                newest: try row["newest"] as Date
            )
        }
        let start = now.adding(.zero - StormRules.window)
        let recent = rows.filter { $0.newest > start }.map(\.alert)
        let last = Dictionary(grouping: rows, by: \.person).values.compactMap {
            $0.max { $0.newest < $1.newest }?.alert
        }
        return Set(recent + last)
    }

    private func forget(_ alert: AlertKey, _ people: [UserID]) throws {
        let key: [SQLValue] = [.id(alert.owner), .id(alert.id)]
        let rows = "FROM deliveries WHERE alert_user_id = $1 AND alert_id = $2"
        let messages = try query(
            about: people,
            {
                """
                SELECT user_id, provider_id \(rows) AND provider_id IS NOT NULL AND user_id \($0)
                """
            }, key
        ) { (user: try $0["user_id"] as UserID, id: try $0["provider_id"] as String) }
        for (user, ids) in Dictionary(grouping: messages, by: \.user) {
            try forgetMessages(ids.map(\.id), to: user)
        }
        try execute(
            about: people,
            {
                """
                DELETE FROM notifications WHERE id IN
                    (SELECT notification_id \(rows) AND user_id \($0)) AND user_id \($0)
                """
            }, key)
        try execute(about: people, { "DELETE \(rows) AND user_id \($0)" }, key)
        try execute("DELETE FROM alert_ids WHERE user_id = $1 AND id = $2", key)
        try execute("DELETE FROM alerts WHERE user_id = $1 AND id = $2", key)
        noteCopyChange(of: alert.owner)
    }

    /// Deletes the providers' ids of messages. Later reports about these messages are ignored.
    private func forgetMessages(_ providerIDs: [String], to user: UserID) throws {
        for list in providerIDs.map({ SQLValue.text($0) }).lists(from: 2) {
            try execute(
                "DELETE FROM provider_ids WHERE user_id = $1 AND provider_id IN (\(list.sql))",
                [.id(user)] + list.values)
        }
    }

    /// Returns the people with more than `kept` notifications that are about no other person. One
    /// query for all people, because many get reminders in the same minute.
    public func peopleWithNews(aboutNobodyBeyond kept: Int, among people: [UserID]) throws
        -> [UserID]
    {
        try query(
            about: people,
            {
                """
                SELECT user_id, COUNT(*) AS number FROM notifications
                WHERE alert_id IS NULL AND about_user_id IS NULL AND user_id \($0)
                GROUP BY user_id
                """
            }, []
        ) { (person: try $0["user_id"] as UserID, number: try $0["number"] as Int) }
        .filter { $0.number > kept }.map(\.person)
    }

    /// Deletes a person's notifications about one other person, or about none. Keeps the newest
    /// `kept`, those that are still to be sent, and those that `endpointTests` and
    /// `deadlineMessages` count.
    public func forgetNews(to recipient: UserID, about person: UserID?, beyond kept: Int) throws {
        let isAbout = person == nil ? "IS NULL" : "= $2"
        let key: [SQLValue] = [.id(recipient)] + (person.map { [.id($0)] } ?? [])
        let window = max(EndpointRules.testWindow, DeadlineMessageLimits.window)
        let counted = now.adding(.zero - window)
        let items: [NotificationID] = try values(
            """
            SELECT id FROM notifications
            WHERE user_id = $1 AND alert_id IS NULL AND about_user_id \(isAbout)
                AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.user_id = notifications.user_id
                    AND d.notification_id = notifications.id AND (d.next_try_at IS NOT NULL
                        OR (d.purpose = 'test' OR d.purpose IN ('reminder', 'lastCall')
                            AND d.channel IN ('sms', 'voice'))
                        AND d.created_at > $\(key.count + 1)))
            ORDER BY created_at DESC, id LIMIT 100 OFFSET $\(key.count + 2)
            """, key + [.date(counted), .int(kept)])
        for list in items.map({ SQLValue.id($0) }).lists(from: 2) {
            let messages: [String] = try values(
                """
                SELECT provider_id FROM deliveries
                WHERE user_id = $1 AND notification_id IN (\(list.sql))
                    AND provider_id IS NOT NULL
                """, [.id(recipient)] + list.values)
            try forgetMessages(messages, to: recipient)
            try execute(
                """
                DELETE FROM deliveries WHERE user_id = $1 AND notification_id IN (\(list.sql))
                """, [.id(recipient)] + list.values)
            try execute(
                "DELETE FROM notifications WHERE user_id = $1 AND id IN (\(list.sql))",
                [.id(recipient)] + list.values)
        }
    }
}
