import Domain
import Foundation

extension Transaction {
    /// Deletes a user and everything that belongs to them. Foreign keys delete most rows. Rows of
    /// `deliveries` about other people's alerts stay, without the user's name.
    public func deleteUser(_ user: UserRow) throws {
        let others = try acquaintances(of: user.id)
        try detachUnsentEnds(of: user.id, to: others)
        try deleteValues(of: user)
        try updateNameEntries(from: user.name, to: "", of: user.id)
        for statement in Self.traces {
            for list in ([user.id] + others).lists(from: 2) {
                try execute(
                    statement.replacing(Self.people, with: "(\(list.sql))"),
                    [.id(user.id)] + list.values)
            }
        }
        try deleteEvents(of: user.id)
        // These people's events may contain the user's name and alerts.
        shortenLogs(of: others)
        for statement in Self.deletionOfUser { try execute(statement, [.id(user.id)]) }
        try execute(Self.deletionOfNumber, [.text(user.storedNumber)])
        try execute(
            "DELETE FROM sign_up_tokens WHERE phone_number = $1", [.text(user.storedNumber)])
        noteCopyChange(of: user.id)
    }

    /// Keeps the unsent messages that tell former contacts of the end of the user's alerts.
    /// Detaches them from the alerts, whose deletion would delete them. Present contacts are told
    /// of the user's deletion instead.
    private func detachUnsentEnds(of user: UserID, to acquaintances: [UserID]) throws {
        let contacts: [UserID] = try values(
            "SELECT contact_id FROM contacts WHERE user_id = $1", [.id(user)])
        for list in Set(acquaintances).subtracting(contacts).sorted().lists(from: 2) {
            try execute(
                """
                UPDATE deliveries SET alert_user_id = NULL, alert_id = NULL
                WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND user_id IN (\(list.sql))
                    AND purpose = 'alertEnd' AND next_try_at IS NOT NULL AND superseded = 0
                """, [.id(user)] + list.values)
        }
    }

    /// Deletes the rows whose key is one of the user's unique values, such as the phone number.
    private func deleteValues(of user: UserRow) throws {
        let sessions: [SessionID] = try values(
            "SELECT id FROM sessions WHERE user_id = $1", [.id(user.id)])
        for session in sessions {
            try deleteHashes(of: Caller(userID: user.id, sessionID: session))
        }
        let sources: [Data] = try values(
            "SELECT hash FROM sources WHERE user_id = $1", [.id(user.id)])
        try deleteValues(sources.map { .blob($0) }, from: "source_hashes", by: "hash")
        try forgetPushAddresses("id IS NOT NULL", [.id(user.id)])
        try deleteValues(
            [.text(user.storedNumber)], from: "phone_numbers", by: "phone_number")
        for (table, key, selection) in Self.valuesOfUser {
            let values = try query(selection, [.id(user.id)]) { try $0["id"] as UUID }
            try deleteValues(values.map { .uuid($0) }, from: table, by: key)
        }
        let messages: [String] = try values(
            "SELECT provider_id FROM deliveries WHERE user_id = $1 AND provider_id IS NOT NULL",
            [.id(user.id)])
        for list in messages.map({ SQLValue.text($0) }).lists(from: 2) {
            try execute(
                """
                DELETE FROM provider_ids WHERE user_id = $1 AND provider_id IN (\(list.sql))
                """, [.id(user.id)] + list.values)
        }
        let alerts: [UUID] = try values(
            "SELECT id FROM alerts WHERE user_id = $1", [.id(user.id)])
        for list in alerts.map({ SQLValue.uuid($0) }).lists(from: 2) {
            try execute(
                "DELETE FROM alert_ids WHERE user_id = $1 AND id IN (\(list.sql))",
                [.id(user.id)] + list.values)
        }
    }

    /// Each table, its key column, and the query for the user's values.
    private static let valuesOfUser = [
        ("qr_code_ids", "id", "SELECT id FROM qr_codes WHERE user_id = $1"),
        ("picture_ids", "id", "SELECT id FROM pictures WHERE user_id = $1"),
    ]

    /// The placeholder for the list of people whose rows may name the user.
    private static let people = "PEOPLE"

    /// Statements that remove the user from other people's rows. Each uses an index, because a scan
    /// would block other writes.
    private static let traces = [
        """
        DELETE FROM deliveries
        WHERE alert_user_id = $1 AND alert_id IS NOT NULL AND user_id IN PEOPLE
        """,
        """
        UPDATE alert_actions SET name = 'A former contact'
        WHERE responder_id = $1 AND user_id IN PEOPLE
        """,
        """
        UPDATE notifications SET about_user_id = NULL
        WHERE about_user_id = $1 AND user_id IN PEOPLE
        """,
        """
        UPDATE blocks SET name = 'Someone who has left'
        WHERE blocked_id = $1 AND blocker_id IN PEOPLE
        """,
        "DELETE FROM contacts WHERE contact_id = $1 AND user_id IN PEOPLE",
        """
        DELETE FROM pings WHERE (responder_id = $1 OR dependent_id = $1) AND user_id IN PEOPLE
        """,
        """
        DELETE FROM drill_answers WHERE (owner_id = $1 OR person_id = $1) AND user_id IN PEOPLE
        """,
        "DELETE FROM invitations WHERE contact_id = $1 AND user_id IN PEOPLE",
    ]

    private static let deletionOfUser = [
        "DELETE FROM deliveries WHERE user_id = $1 AND alert_id IS NULL",
        """
        UPDATE deliveries SET recipient_name = 'A former contact', next_try_at = NULL,
            reason = CASE WHEN state IN ('queued', 'sending', 'retrying') THEN 'account-deleted'
                ELSE reason END,
            state = CASE WHEN state IN ('queued', 'sending', 'retrying') THEN 'givenUp'
                ELSE state END
        WHERE user_id = $1
        """,
        "DELETE FROM user_spending WHERE user_id = $1",
        "DELETE FROM number_moves WHERE user_id = $1",
        "UPDATE admin_acts SET user_id = NULL WHERE user_id = $1",
        "DELETE FROM users WHERE id = $1",
    ]

    /// Keeps the codes for rate limits by network address and by server. Otherwise people could
    /// bypass these limits by deleting their account.
    private static let deletionOfNumber =
        "UPDATE sign_in_codes SET phone_number = '', tries_left = 0 WHERE phone_number = $1"
}
