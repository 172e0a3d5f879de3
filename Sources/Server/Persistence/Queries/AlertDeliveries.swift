import Domain
import Foundation

extension SQLConnection {
    /// How many alerts the owner has had since `time`, by when the server learned of them.
    public func countAlerts(of owner: UserID, receivedSince time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND received_at > $2",
            [.id(owner), .date(time)])
    }

    /// How many SMS about the alert were made for each of the recipients since `time`.
    public func countSMS(
        about alert: AlertRow, to recipients: [UserID], since time: Date
    ) throws -> [UserID: Int] {
        let counts = try query(
            about: recipients,
            {
                """
                SELECT user_id, COUNT(*) AS number FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND channel = 'sms'
                    AND created_at > $3 AND reason IS NULL AND user_id \($0)
                GROUP BY user_id
                """
            }, [.id(alert.userID), .id(alert.id), .date(time)]
        ) { (try $0["user_id"] as UserID, try $0["number"] as Int) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    /// Those of the recipients for whom an SMS about the end of an alert is held back: true if they
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
    /// Withdraws SMS about ends of the owner's alerts that were held back: another one has begun.
    public func withdrawWaitingEnds(of owner: UserID, for recipients: [UserID]) throws {
        try execute(
            about: recipients,
            {
                """
                UPDATE deliveries SET state = 'superseded', next_try_at = NULL, updated_at = $1,
                    reason = '\(StormRules.reason)'
                WHERE channel = 'sms' AND next_try_at > $1 AND state = 'queued'
                    AND purpose = 'alertEnd' AND alert_user_id = $2 AND user_id \($0)
                """
            }, [.date(now), .id(owner)])
    }

    /// Another alert of the owner begins, and "is fine" about an earlier one must not be the last
    /// word on it. SMS that failed are withdrawn; those that were held back stay, because they
    /// decide whether the new alert needs one. Webhooks get every end, and get it first.
    /// - Returns: true if an end was on its way, or is held back.
    public func overtakeEnds(of owner: UserID, for recipients: [UserID]) throws -> Bool {
        let isEnd = "next_try_at IS NOT NULL AND purpose = 'alertEnd'"
        // Most alerts begin while no end is on its way.
        let affected = try query(
            about: recipients,
            {
                "SELECT user_id FROM deliveries WHERE \(isEnd) AND alert_user_id = $1 "
                    + "AND user_id \($0)"
            }, [.id(owner)]
        ) { try $0["user_id"] as UserID }
        guard !affected.isEmpty else { return false }
        for statement in Self.overtaking {
            try execute(
                about: Set(affected).sorted { $0.uuid < $1.uuid },
                {
                    "\(statement.change) WHERE \(isEnd) AND \(statement.condition) "
                        + "AND alert_user_id = $2 AND user_id \($0)"
                }, [.date(now), .id(owner)])
        }
        return true
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
}

/// The channels by which somebody was notified of an alert, beside the stream.
public struct AlertReach: Sendable, Equatable {
    /// An SMS went out, or was spared because the one before still holds.
    public var bySMS: Bool

    public init(bySMS: Bool) { self.bySMS = bySMS }
}

extension StormRules {
    /// In the ledger: an SMS that the limit has made needless.
    public static let reason = "storm"
}
