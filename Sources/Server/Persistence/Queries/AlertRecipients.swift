import Domain
import Foundation

extension SQLConnection {
    /// Everyone who was notified of the alert.
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

    /// People whose deliveries may be about an alert of `owner`.
    func possibleRecipients(of owner: UserID) throws -> [UserID] {
        [owner] + (try acquaintances(of: owner))
    }

    /// How each person was notified of the alert.
    public func reach(of alert: AlertRow) throws -> [UserID: AlertReach] {
        var reach: [UserID: AlertReach] = [:]
        for list in try possibleRecipients(of: alert.userID).lists(from: 3) {
            let rows = try query(
                """
                SELECT user_id,
                    MAX(CASE WHEN channel IN ('sms', 'voice') AND attempts > 0
                        OR channel = 'sms' AND reason = '\(StormRules.reason)' THEN 1 ELSE 0 END)
                        AS by_sms
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                GROUP BY user_id
                """,
                [.id(alert.userID), .id(alert.id)] + list.values
            ) { (try $0["user_id"] as UserID, AlertReach(bySMS: try $0["by_sms"] ?? false)) }
            for (user, how) in rows { reach[user] = how }
        }
        return reach
    }
}

extension Transaction {
    /// Newer news has overtaken what was to be sent about an alert: rows that wait are settled, and
    /// tries under way are the last ones. Rows of streams stay, because a stream carries every
    /// change. Call it before the newer rows are inserted.
    /// - Parameters:
    ///   - recipients: nil for everybody.
    ///   - purposes: nil for all.
    ///   - reason: for the ledger, such as `ended`; no personal data.
    public func supersedeDeliveries(
        ofAlert alert: AlertID, owner: UserID, recipients: [UserID]? = nil,
        purposes: [DeliveryPurpose]? = nil, reason: String
    ) throws {
        let people = try recipients ?? possibleRecipients(of: owner)
        for list in people.lists(from: 5) {
            var condition = """
                alert_user_id = $3 AND alert_id = $4 AND channel <> 'stream'
                AND user_id IN (\(list.sql))
                """
            let values = [.text(reason), .date(now), .id(owner), .id(alert)] + list.values
            if let purposes {
                let names = purposes.map { "'\($0.rawValue)'" }.joined(separator: ", ")
                condition += " AND purpose IN (\(names))"
            }
            try execute(
                """
                UPDATE deliveries SET state = 'superseded', superseded = 1, reason = $1,
                    next_try_at = NULL, updated_at = $2
                WHERE \(condition) AND state IN ('queued', 'retrying')
                """, values)
            try execute(
                """
                UPDATE deliveries SET superseded = 1, reason = $1, updated_at = $2
                WHERE \(condition) AND state = 'sending'
                """, values)
        }
    }
}
