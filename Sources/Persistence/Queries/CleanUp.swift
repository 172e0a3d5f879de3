import Domain
import Foundation

extension Transaction {
    /// Deletes what is kept no longer, at most `limit` rows of each kind, so that no check-in waits for it.
    /// Returns how many rows went.
    public func cleanUp(at now: Date, limit: Int) throws -> Int {
        func before(_ duration: Duration) -> SQLValue { .date(now.adding(.zero - duration)) }
        let unread = before(NotificationRules.kept)
        let read = before(NotificationRules.keptWhenRead)
        var deleted = try execute(
            """
            DELETE FROM notifications WHERE (user_id, id) IN (
                SELECT user_id, id FROM notifications WHERE created_at <= $1 AND (created_at <= $2 OR read_at <= $1) LIMIT $3)
            """,
            [read, unread, .int(limit)]
        )
        deleted += try execute(
            """
            DELETE FROM deliveries WHERE (user_id, id) IN (
                SELECT user_id, id FROM deliveries WHERE created_at <= $1 AND alert_id IS NULL LIMIT $2)
            """,
            [unread, .int(limit)]
        )
        deleted += try execute(
            "DELETE FROM sign_in_codes WHERE id IN (SELECT id FROM sign_in_codes WHERE created_at <= $1 LIMIT $2)",
            [before(SignInRules.codeWindow), .int(limit)]
        )
        deleted += try execute(
            """
            DELETE FROM sessions WHERE (user_id, id) IN (
                SELECT user_id, id FROM sessions WHERE refresh_expires_at <= $1 LIMIT $2)
            """,
            [.date(now), .int(limit)]
        )
        deleted += try execute(
            """
            DELETE FROM request_keys WHERE (user_id, key) IN (
                SELECT user_id, key FROM request_keys WHERE happened_at <= $1 LIMIT $2)
            """,
            [before(RequestKeyRules.kept), .int(limit)]
        )
        // Endpoints go with their session.
        deleted += try execute("DELETE FROM devices WHERE (user_id, session_id) NOT IN (SELECT user_id, id FROM sessions)", [])
        // What could not be sent before its notification went is sent to nobody any more.
        try execute(
            "UPDATE deliveries SET state = 'givenUp', next_try_at = NULL WHERE next_try_at IS NOT NULL AND created_at <= $1", [unread]
        )
        return deleted
    }
}
