import Domain
import Foundation

/// A row of `users`.
public struct UserRow: Sendable, Equatable {
    public var id: UserID
    public var phoneNumber: PhoneNumber
    public var name: String
    public var emergencyNote: String
    public var pictureID: PictureID?
    public var preferences: NotificationPreferences
    public var createdAt: Date

    public var displayName: String { ProfileRules.displayName(name) }

    static let columns = "id, phone_number, name, emergency_note, picture_id, muted, created_at"

    init(_ row: SQLRow) throws {
        id = try row["id"]
        phoneNumber = try PhoneNumber(row["phone_number"])
        name = try row["name"]
        emergencyNote = try row["emergency_note"]
        pictureID = try row["picture_id"]
        let muted: String = try row["muted"]
        preferences = try NotificationPreferences(
            muted: Set(
                muted.split(separator: " ").compactMap { NotificationType(rawValue: String($0)) }))
        createdAt = try row["created_at"]
    }
}

extension SQLConnection {
    public func user(_ id: UserID) throws -> UserRow? {
        try first("SELECT \(UserRow.columns) FROM users WHERE id = $1", [.id(id)], UserRow.init)
    }

    public func user(phoneNumber: PhoneNumber) throws -> UserRow? {
        try first(
            "SELECT \(UserRow.columns) FROM users WHERE phone_number = $1",
            [.text(phoneNumber.text)], UserRow.init)
    }
}

extension Transaction {
    public func insertUser(_ id: UserID, phoneNumber: PhoneNumber) throws {
        try execute(
            """
            INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
            VALUES ($1, $2, '', '', '', $3)
            """,
            [.id(id), .text(phoneNumber.text), .date(now)]
        )
        let settings = CheckInSettings.standard
        try execute(
            """
            INSERT INTO schedules
                (user_id, interval_seconds, remind_two_hours, remind_thirty_minutes, reminders_sent,
                missed_told)
            VALUES ($1, $2, $3, $4, 0, 0)
            """,
            [
                .id(id), .int(settings.intervalSeconds), .bool(settings.remindTwoHoursBefore),
                .bool(settings.remindThirtyMinutesBefore),
            ]
        )
    }

    public func updateUser(_ id: UserID, name: String, emergencyNote: String) throws {
        try execute(
            "UPDATE users SET name = $1, emergency_note = $2 WHERE id = $3",
            [.text(name), .text(emergencyNote), .id(id)]
        )
    }

    /// Throws `uniqueViolation` when another user has the number.
    public func updatePhoneNumber(_ number: PhoneNumber, of id: UserID) throws {
        try execute(
            "UPDATE users SET phone_number = $1 WHERE id = $2", [.text(number.text), .id(id)])
    }

    public func updatePreferences(_ preferences: NotificationPreferences, of id: UserID) throws {
        let muted = preferences.muted.map(\.rawValue).sorted().joined(separator: " ")
        try execute("UPDATE users SET muted = $1 WHERE id = $2", [.text(muted), .id(id)])
    }

    /// Everything that belongs to the user goes with the row; what has no foreign key is named
    /// here. The ledger lines of other people's alerts stay, without the name.
    public func deleteUser(_ user: UserRow) throws {
        for statement in Self.deletionOfUser { try execute(statement, [.id(user.id)]) }
        try execute(Self.deletionOfNumber, [.text(user.phoneNumber.text)])
    }

    /// Each looks its rows up by an index: the one writer must not wait for a scan.
    static let deletionOfUser = [
        "DELETE FROM events WHERE user_id = $1",
        "DELETE FROM deliveries WHERE alert_user_id = $1 AND alert_id IS NOT NULL",
        "DELETE FROM deliveries WHERE user_id = $1 AND alert_id IS NULL",
        """
        UPDATE deliveries SET recipient_name = 'A former contact', next_try_at = NULL,
            reason = CASE WHEN state IN ('queued', 'sending', 'retrying') THEN 'account-deleted'
                ELSE reason END,
            state = CASE WHEN state IN ('queued', 'sending', 'retrying') THEN 'givenUp'
                ELSE state END
        WHERE user_id = $1
        """,
        "UPDATE alert_actions SET name = 'A former contact' WHERE responder_id = $1",
        "UPDATE notifications SET about_user_id = NULL WHERE about_user_id = $1",
        "UPDATE blocks SET name = 'Someone who has left' WHERE blocked_id = $1",
        "DELETE FROM users WHERE id = $1",
    ]

    /// The rows stay for the limits of the address and of all: nobody gets around them by signing
    /// up and leaving again.
    static let deletionOfNumber =
        "UPDATE sign_in_codes SET phone_number = '', tries_left = 0 WHERE phone_number = $1"
}
