import Domain
import Foundation

extension SQLConnection {
    /// Alerts of others about which an SMS went to the person, with the time of the newest one. The
    /// newest SMS comes first.
    public func textedAlerts(of user: UserID) throws -> [(alert: AlertKey, newest: Date)] {
        try query(
            """
            SELECT alert_user_id, alert_id, MAX(created_at) AS newest FROM deliveries
            WHERE user_id = $1 AND channel = 'sms' AND alert_id IS NOT NULL
                AND alert_user_id <> $1 AND attempts > 0 AND state NOT IN ('failed', 'givenUp')
            GROUP BY alert_user_id, alert_id ORDER BY newest DESC, alert_id LIMIT 20
            """, [.id(user)]
        ) { row in
            let alert = AlertKey(owner: try row["alert_user_id"], id: try row["alert_id"])
            return (alert, try row["newest"])
        }
    }

    /// The time of the SMS by which a notification went to the person; nil if none did.
    public func textTime(of notification: NotificationID, to user: UserID) throws -> Date? {
        try value(
            """
            SELECT MAX(created_at) FROM deliveries WHERE user_id = $1 AND notification_id = $2
                AND channel = 'sms' AND attempts > 0 AND state NOT IN ('failed', 'givenUp')
            """, [.id(user), .id(notification)])
    }

    /// Invitations of anybody to a number that wait for an answer.
    public func pendingInvitations(
        to number: PhoneNumber
    ) throws -> [(owner: UserID, id: InvitationID)] {
        try query(
            """
            SELECT user_id, id FROM invitations WHERE phone_number = $1 AND state = 'pending'
            ORDER BY user_id, id
            """, [.text(number.text)]
        ) { (owner: try $0["user_id"] as UserID, id: try $0["id"] as InvitationID) }
    }
}

extension Transaction {
    /// The person has answered a text message.
    public func proveTexts(to user: UserID) throws {
        try execute(
            """
            INSERT INTO proofs (user_id, channel, proven_at) VALUES ($1, 'sms', $2)
            ON CONFLICT (user_id, channel) DO UPDATE SET proven_at = excluded.proven_at
            """, [.id(user), .date(now)])
    }

    /// Returns false if the person was told how to answer after this time.
    public func noteHelp(to user: UserID, unlessAfter time: Date) throws -> Bool {
        try execute(
            """
            UPDATE users SET sms_help_at = $1
            WHERE id = $2 AND (sms_help_at IS NULL OR sms_help_at <= $3)
            """, [.date(now), .id(user), .date(time)]) > 0
    }

    /// No SMS to the person any more, and no call without an account. What waits has failed, and
    /// the next step of the ladder begins.
    public func stopTexts(to user: UserRow) throws {
        try execute(
            "UPDATE users SET sms_stopped_at = $1 WHERE id = $2", [.date(now), .id(user.id)])
        let channels = user.guestSince == nil ? "'sms'" : "'sms', 'voice'"
        try execute(
            """
            UPDATE deliveries SET state = 'failed', reason = $1, next_try_at = NULL,
                updated_at = $2
            WHERE user_id = $3 AND channel IN (\(channels)) AND state IN ('queued', 'retrying')
            """, [.text("\(DeliveryReason.textsStopped)"), .date(now), .id(user.id)])
        try advanceSteps(of: [user.id])
    }

    /// Returns whether they had been stopped.
    public func startTexts(to user: UserID) throws -> Bool {
        try execute(
            "UPDATE users SET sms_stopped_at = NULL WHERE id = $1 AND sms_stopped_at IS NOT NULL",
            [.id(user)]) > 0
    }
}
