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
