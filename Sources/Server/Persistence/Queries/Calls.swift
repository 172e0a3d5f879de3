import Domain
import Foundation

extension SQLConnection {
    /// The alert that a call is about; nil when there is no such call.
    public func alertOfCall(
        _ id: DeliveryID, to person: UserID
    ) throws -> (owner: UserID, alert: AlertID)? {
        try first(
            """
            SELECT alert_user_id, alert_id FROM deliveries
            WHERE user_id = $1 AND id = $2 AND channel = 'voice' AND alert_id IS NOT NULL
            """, [.id(person), .id(id)]
        ) { (try $0["alert_user_id"] as UserID, try $0["alert_id"] as AlertID) }
    }
}

extension Transaction {
    /// Calls about an alert that wait for one person are not made.
    public func supersedeCalls(
        ofAlert alert: AlertID, owner: UserID, to person: UserID, reason: DeliveryReason
    ) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = $1,
                next_try_at = NULL, updated_at = $2
            WHERE alert_user_id = $3 AND alert_id = $4 AND user_id = $5 AND channel = 'voice'
                AND state IN ('queued', 'retrying')
            """,
            [.text("\(reason)"), .date(now), .id(owner), .id(alert), .id(person)])
    }
}
