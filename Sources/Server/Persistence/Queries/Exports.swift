import Domain
import Foundation

extension SQLConnection {
    /// Returns a user's own alerts, newest first.
    public func ownAlerts(of user: UserID, page: Page) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND (started_at, id) < ($2, $3)
            ORDER BY started_at DESC, id DESC LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)], AlertRow.init
        )
    }
}
