import Domain
import Foundation

extension SQLConnection {
    public func notifiedUsers(of alert: AlertRow) throws -> Set<UserID> {
        var people: Set<UserID> = []
        for list in try possibleRecipients(of: alert.userID).lists(from: 3) {
            people.formUnion(
                try values(
                    """
                    SELECT DISTINCT user_id FROM deliveries
                    WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                    """,
                    [.id(alert.userID), .id(alert.id)] + list.values))
        }
        return people
    }

    /// Returns the possible recipients of messages about alerts of `owner`.
    func possibleRecipients(of owner: UserID) throws -> [UserID] {
        [owner] + (try acquaintances(of: owner))
    }

    /// Returns true if a message about the alert since the last alarm has reached the person, waits
    /// for them or is being sent, except on an open page, or if the person has acted since then. An
    /// attempt at a push may be one to an address that the browser has just replaced, so only its
    /// acceptance counts.
    public func isTold(_ user: UserID, of alert: AlertKey) throws -> Bool {
        let alarms = AlertClaim.needsHelp.purposes.literals
        return try hasRow(
            """
            SELECT 1 FROM deliveries d
            WHERE d.user_id = $1 AND d.alert_user_id = $2 AND d.alert_id = $3
                AND d.created_at >= COALESCE((SELECT MAX(created_at) FROM deliveries
                    WHERE user_id = $1 AND alert_user_id = $2 AND alert_id = $3
                        AND purpose IN (\(alarms))), 0)
                AND (d.state IN ('seen', 'acknowledged')
                    OR d.channel NOT IN ('stream', 'console')
                        AND d.state IN ('queued', 'accepted')
                    OR d.channel IN ('sms', 'email', 'voice')
                        AND d.state IN ('sending', 'retrying'))
            """, [.id(user), .id(alert.owner), .id(alert.id)])
    }

    /// The SQL condition for a push or e-mail that was accepted or is being sent.
    private static var isHeardByPush: String {
        """
        channel IN (\(DeliveryChannel.list { $0 == .push })) AND attempts > 0
            AND state IN ('sending', 'accepted', 'seen', 'acknowledged')
        """
    }

    /// Returns how each person was notified of the alert.
    public func reach(of alert: AlertRow) throws -> [UserID: AlertReach] {
        var reach: [UserID: AlertReach] = [:]
        for list in try possibleRecipients(of: alert.userID).lists(from: 3) {
            let rows = try query(
                """
                SELECT user_id,
                    MAX(CASE WHEN channel IN ('sms', 'voice') AND attempts > 0
                        OR channel = 'sms' AND reason = '\(StormRules.reason)' THEN 1 ELSE 0 END)
                        AS by_sms,
                    MAX(CASE WHEN \(Self.isHeardByPush) THEN 1 ELSE 0 END) AS by_push
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                GROUP BY user_id
                """,
                [.id(alert.userID), .id(alert.id)] + list.values
            ) { (try $0["user_id"] as UserID, try AlertReach($0)) }
            for (user, how) in rows { reach[user] = how }
        }
        let others = reach.filter { !$0.value.bySMS }.map(\.key)
        for person in try peopleLeftAlarmed(by: alert.userID, among: others) {
            reach[person]?.bySMS = true
        }
        return reach
    }

    /// Adds the messages about the alert that have begun since `reach` was read. On PostgreSQL, a
    /// worker may lease a message in between. Call this after the withdrawal of the messages, which
    /// waits for such a worker. `reach` must be read before it, because the withdrawal overwrites
    /// the reason of messages that a rate limit holds back.
    public func addAttempts(about alert: AlertRow, to reach: inout [UserID: AlertReach]) throws {
        for list in reach.filter({ !$0.value.bySMS }).map(\.key).lists(from: 3) {
            let rows = try query(
                """
                SELECT user_id,
                    MAX(CASE WHEN channel IN ('sms', 'voice') THEN 1 ELSE 0 END) AS by_sms,
                    MAX(CASE WHEN \(Self.isHeardByPush) THEN 1 ELSE 0 END) AS by_push
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                    AND attempts > 0
                GROUP BY user_id
                """, [.id(alert.userID), .id(alert.id)] + list.values
            ) { (person: try $0["user_id"] as UserID, how: try AlertReach($0)) }
            for (person, how) in rows {
                if how.bySMS { reach[person]?.bySMS = true }
                if how.byPush { reach[person]?.byPush = true }
            }
        }
    }

    /// Returns the people whose last SMS about the owner's alerts doesn't report an end. Includes
    /// people whose SMS about the end was withdrawn.
    private func peopleLeftAlarmed(
        by owner: UserID, among people: [UserID]
    ) throws -> [UserID] {
        let isEnd = "purpose = 'alertEnd' AND state IN ('accepted', 'seen', 'acknowledged')"
        let isWithdrawnEnd = "purpose = 'alertEnd' AND state = 'superseded'"
        return try people.lists(from: 2).flatMap { list in
            try values(
                """
                SELECT user_id FROM deliveries
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND user_id IN (\(list.sql))
                    AND channel = 'sms' AND (attempts > 0 OR \(isWithdrawnEnd))
                GROUP BY user_id
                HAVING MAX(CASE WHEN \(isEnd) THEN 0 ELSE created_at END)
                    > MAX(CASE WHEN \(isEnd) THEN created_at ELSE 0 END)
                """, [.id(owner)] + list.values)
        }
    }

    /// Returns how people were notified of the owner's alerts whose end hasn't reached them,
    /// including open alerts.
    public func reachOfOpenAlerts(of owner: UserID) throws -> [UserID: AlertReach] {
        try openAlerts(of: owner).reduce(into: try unsettledEnds(of: owner)) { reached, alert in
            reached.merge(try reach(of: alert)) {
                AlertReach(bySMS: $0.bySMS || $1.bySMS, byPush: $0.byPush || $1.byPush)
            }
        }
    }

    /// Returns the recipients of unsent messages about ends of the owner's alerts.
    private func unsettledEnds(of owner: UserID) throws -> [UserID: AlertReach] {
        var ends: [UserID: AlertReach] = [:]
        for list in try possibleRecipients(of: owner).lists(from: 2) {
            let rows = try query(
                """
                SELECT user_id,
                    MAX(CASE WHEN \(Transaction.isReserve) THEN 1 ELSE 0 END) AS by_push,
                    MAX(CASE WHEN channel = 'sms'
                        AND (reason IS NULL OR NOT \(Transaction.isReserve))
                        THEN 1 ELSE 0 END) AS by_sms
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND user_id IN (\(list.sql))
                    AND purpose = 'alertEnd' AND channel <> 'stream'
                    AND state IN ('queued', 'sending', 'retrying')
                GROUP BY user_id
                """, [.id(owner)] + list.values
            ) { (try $0["user_id"] as UserID, try AlertReach($0)) }
            for (user, how) in rows { ends[user] = how }
        }
        return ends
    }
}

extension AlertReach {
    fileprivate init(_ row: SQLRow) throws {
        self.init(bySMS: try row["by_sms"] ?? false, byPush: try row["by_push"] ?? false)
    }
}

extension Transaction {
    /// Supersedes the messages about an alert. Must run before the newer messages are inserted.
    /// Attempts in progress are not retried. Messages for event streams stay, because a stream
    /// carries every change.
    /// - Parameters:
    ///   - recipients: nil for everyone.
    ///   - purposes: nil for all.
    ///   - news: nil for all messages.
    ///   - condition: a further SQL condition on the row.
    ///   - reason: for the column `reason`, such as `ended`; must not contain personal data.
    public func supersedeDeliveries(
        ofAlert alert: AlertID, owner: UserID, recipients: [UserID]? = nil,
        purposes: [DeliveryPurpose]? = nil, news: StoredNews? = nil,
        condition further: String? = nil, reason: String
    ) throws {
        let people = try recipients ?? possibleRecipients(of: owner)
        for list in people.lists(from: 5) {
            var condition = """
                alert_user_id = $3 AND alert_id = $4 AND user_id IN (\(list.sql))
                """
            var values = [.text(reason), .date(now), .id(owner), .id(alert)] + list.values
            if let purposes {
                condition += " AND purpose IN (\(purposes.literals))"
            }
            if let further { condition += " AND \(further)" }
            if let known = news?.condition(from: values.count + 1) {
                values += known.values
                condition += """
                     AND EXISTS (SELECT 1 FROM notifications n
                        WHERE n.user_id = deliveries.user_id
                            AND n.id = deliveries.notification_id
                            AND \(known.sql))
                    """
            }
            try supersede(condition, values)
        }
    }

    /// Supersedes the alert's unsent messages that say that no responder is on it. Keeps a repeat
    /// that is the person's first call for help on its channel.
    public func supersedeAlarms(about alert: AlertRow, for recipients: [UserID]) throws {
        let alarms = AlertClaim.needsHelp.purposes.literals
        for list in recipients.lists(from: 5) {
            try supersede(
                """
                alert_user_id = $3 AND alert_id = $4 AND user_id IN (\(list.sql))
                    AND (purpose = 'alertUntaken' OR purpose = 'alertRepeat'
                        AND EXISTS (SELECT 1 FROM deliveries AS earlier
                            WHERE earlier.alert_user_id = $3 AND earlier.alert_id = $4
                                AND earlier.user_id = deliveries.user_id
                                AND earlier.channel = deliveries.channel
                                AND earlier.purpose IN (\(alarms))
                                AND earlier.state IN ('accepted', 'seen', 'acknowledged')))
                """,
                [
                    .text(StoredReason.newerNews), .date(now), .id(alert.userID), .id(alert.id),
                ] + list.values)
        }
    }

    /// Supersedes all messages to the person about the owner's alerts, including their ends. An SMS
    /// in reserve is deleted: as a withdrawn end, it would read as if an SMS had told of an alert.
    public func supersedeDeliveries(ofAlertsOf owner: UserID, to person: UserID) throws {
        try execute(
            """
            DELETE FROM deliveries
            WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND state = 'queued'
                AND \(Self.isReserve) AND user_id = $2
            """, [.id(owner), .id(person)])
        try supersede(
            "alert_user_id = $3 AND alert_id IS NOT NULL AND user_id = $4",
            [.text(StoredReason.newerNews), .date(now), .id(owner), .id(person)])
    }

    /// - Parameter values: the reason, the time, and the values of the condition.
    private func supersede(_ condition: String, _ values: [SQLValue]) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1,
                reason = \(StoredReason.ofWithdrawal("$1")), next_try_at = NULL, updated_at = $2
            WHERE \(condition) AND channel <> 'stream' AND state IN ('queued', 'retrying')
            """, values)
        try execute(
            """
            UPDATE deliveries SET reason = \(StoredReason.ofWithdrawal("$1")),
                superseded = 1, updated_at = $2
            WHERE \(condition) AND channel <> 'stream' AND state = 'sending'
            """, values)
    }
}
