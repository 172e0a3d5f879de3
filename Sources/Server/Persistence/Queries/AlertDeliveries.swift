import Domain
import Foundation

extension SQLConnection {
    /// How many alerts the owner has had since `time`, by when the server learned of them.
    public func countAlerts(of owner: UserID, receivedSince time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND received_at > $2",
            [.id(owner), .date(time)])
    }

    /// How many SMS about the alert were made for `recipient` since `time`.
    public func countSMS(
        about alert: AlertRow, to recipient: UserID, since time: Date
    ) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM deliveries
            WHERE alert_user_id = $1 AND alert_id = $2 AND user_id = $3 AND channel = 'sms'
                AND created_at > $4 AND reason IS NULL
            """,
            [.id(alert.userID), .id(alert.id), .id(recipient), .date(time)])
    }

    /// True if the person had an SMS about the alert whose end is queued; nil when none is queued.
    public func hasHeardBeforeWaitingEnd(of owner: UserID, for recipient: UserID) throws -> Bool? {
        try value(
            """
            SELECT EXISTS (SELECT 1 FROM deliveries AS earlier
                WHERE earlier.alert_user_id = waiting.alert_user_id
                    AND earlier.alert_id = waiting.alert_id AND earlier.user_id = waiting.user_id
                    AND earlier.channel = 'sms' AND (
                        earlier.purpose IN ('alertBegin', 'alertRepeat', 'alertNews')
                            AND earlier.state IN ('accepted', 'seen', 'acknowledged')
                        OR earlier.purpose = 'alertBegin'
                            AND earlier.reason = '\(StormRules.reason)'))
            FROM deliveries AS waiting
            WHERE waiting.user_id = $1 AND channel = 'sms' AND next_try_at > $2
                AND state = 'queued' AND purpose = 'alertEnd' AND alert_user_id = $3 LIMIT 1
            """,
            [.id(recipient), .date(now), .id(owner)])
    }
}

extension Transaction {
    /// Withdraws SMS about ends of the owner's alerts that were held back: another one has begun.
    public func withdrawWaitingEnds(of owner: UserID, for recipient: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', next_try_at = NULL, updated_at = $1,
                reason = '\(StormRules.reason)'
            WHERE user_id = $2 AND channel = 'sms' AND next_try_at > $1 AND state = 'queued'
                AND purpose = 'alertEnd' AND alert_user_id = $3
            """,
            [.date(now), .id(recipient), .id(owner)]
        )
    }

    /// Another alert of the owner begins, and "is fine" about an earlier one must not be the last
    /// word on it. SMS that failed are withdrawn; those that were held back stay, because they
    /// decide whether the new alert needs one. Webhooks get every end, and get it first.
    public func overtakeEnds(of owner: UserID, for recipient: UserID) throws {
        let condition = """
            user_id = $2 AND next_try_at IS NOT NULL AND alert_user_id = $3 AND purpose = 'alertEnd'
            """
        let values: [SQLValue] = [.date(now), .id(recipient), .id(owner)]
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = 'newer-news',
                next_try_at = NULL, updated_at = $1
            WHERE \(condition) AND channel <> 'webhook'
                AND (state = 'retrying' OR state = 'queued' AND next_try_at <= $1)
            """, values)
        try execute(
            """
            UPDATE deliveries SET superseded = 1, reason = 'newer-news', updated_at = $1
            WHERE \(condition) AND channel <> 'webhook' AND state = 'sending'
            """, values)
        try execute(
            """
            UPDATE deliveries SET next_try_at = $1 - 1
            WHERE \(condition) AND channel = 'webhook' AND state = 'retrying' AND next_try_at >= $1
            """, values)
    }

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
    public func supersede(_ alert: AlertRow, for recipient: UserID? = nil) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipient: recipient, reason: "newer-news")
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
