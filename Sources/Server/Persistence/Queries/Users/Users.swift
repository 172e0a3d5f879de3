import Domain
import Foundation

public struct UserRow: Sendable, Equatable {
    public var id: UserID
    /// nil for a guest with an e-mail address.
    public var phoneNumber: PhoneNumber?
    public var name: String
    public var emergencyNote: String
    public var pictureID: PictureID?
    public var preferences: NotificationPreferences
    public var createdAt: Date
    /// The IANA name of the time zone; nil until a device has reported it.
    public var timeZone: String?
    /// When the person became a guest; nil for people with an account.
    public var guestSince: Date?
    /// When the person sent STOP by SMS; nil while they accept SMS.
    public var smsStoppedAt: Date?
    /// True if the operator's copy must not have the emergency note.
    public var leavesNoteOutOfCopy: Bool
    /// When an administrator locked the account; nil unless it is locked.
    public var lockedAt: Date?
    /// True for a former guest who hasn't saved a profile since. The name is then the inviter's.
    public var hasGuestsProfile: Bool

    public var displayName: String { ProfileRules.nameInMessages(name) }

    /// True for a guest who was invited by e-mail. That address is the only one they can have.
    public var hasOnlyEmail: Bool { guestSince != nil && phoneNumber == nil }

    /// The value of the column `phone_number`, which must be unique.
    var storedNumber: String { phoneNumber?.text ?? PhoneNumber.placeholder(for: id) }

    static let columns =
        "id, phone_number, name, emergency_note, picture_id, muted, created_at, time_zone, "
        + "guest_since, sms_stopped_at, leaves_note_out_of_copy, locked_at, copy_waits"

    init(_ row: SQLRow) throws {
        id = try row["id"]
        phoneNumber = try PhoneNumber(stored: row["phone_number"])
        name = try row["name"]
        emergencyNote = try row["emergency_note"]
        pictureID = try row["picture_id"]
        let muted: String = try row["muted"]
        preferences = try NotificationPreferences(
            muted: Set(
                muted.split(separator: " ").compactMap { NotificationType(rawValue: String($0)) }))
        createdAt = try row["created_at"]
        timeZone = try row["time_zone"]
        guestSince = try row["guest_since"]
        smsStoppedAt = try row["sms_stopped_at"]
        leavesNoteOutOfCopy = try row["leaves_note_out_of_copy"]
        lockedAt = try row["locked_at"]
        hasGuestsProfile = try row["copy_waits"]
    }
}

extension PhoneNumber {
    /// Returns nil for a placeholder.
    init?(stored text: String) throws(CommandError) {
        if text.hasPrefix(Self.noNumber) { return nil }
        try self.init(text)
    }

    /// Returns a placeholder for a missing number. Its 12 digits are a hash (FNV-1a) of the id.
    fileprivate static func placeholder(for id: UserID) -> String {
        let hash = withUnsafeBytes(of: id.uuid.uuid) { bytes in
            bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
                ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
            }
        }
        let digits = String(hash % 1_000_000_000_000)
        return noNumber + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension SQLConnection {
    public func user(_ id: UserID) throws -> UserRow? {
        try first("SELECT \(UserRow.columns) FROM users WHERE id = $1", [.id(id)], UserRow.init)
    }

    public func user(phoneNumber: PhoneNumber) throws -> UserRow? {
        try owner(ofNumber: phoneNumber).flatMap { try user($0) }
    }

    public func owner(ofNumber number: PhoneNumber) throws -> UserID? {
        try value(
            "SELECT user_id FROM phone_numbers WHERE phone_number = $1", [.text(number.text)])
    }

    public func users(_ ids: [UserID]) throws -> [UserID: UserRow] {
        var users: [UserID: UserRow] = [:]
        for list in ids.lists(from: 1) {
            let rows = try query(
                "SELECT \(UserRow.columns) FROM users WHERE id IN (\(list.sql))", list.values,
                UserRow.init)
            for row in rows { users[row.id] = row }
        }
        return users
    }
}

extension Transaction {
    /// Inserts a user. Throws `uniqueViolation` if another user has the number.
    public func insertUser(_ id: UserID, phoneNumber: PhoneNumber?) throws {
        let number = phoneNumber?.text ?? PhoneNumber.placeholder(for: id)
        try insertNumber(number, of: id)
        try execute(
            """
            INSERT INTO users (id, phone_number, name, emergency_note, muted, created_at)
            VALUES ($1, $2, '', '', '', $3)
            """,
            [.id(id), .text(number), .date(now)]
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
        let old: String? = try value("SELECT name FROM users WHERE id = $1", [.id(id)])
        if let old { try updateNameEntries(from: old, to: name, of: id) }
        try execute(
            "UPDATE users SET name = $1, emergency_note = $2, copy_waits = 0 WHERE id = $3",
            [.text(name), .text(emergencyNote), .id(id)]
        )
        noteCopyChange(of: id)
    }

    /// - Parameter name: the IANA name.
    public func updateTimeZone(_ name: String, of id: UserID) throws {
        try execute(
            "UPDATE users SET time_zone = $1 WHERE id = $2", [.text(name), .id(id)])
    }

    /// Changes a user's number. Ends the tokens for both numbers, a change that waits, and the
    /// proofs by messages to the old number. Throws `uniqueViolation` if another user has the
    /// number.
    public func updatePhoneNumber(_ number: PhoneNumber, of id: UserID) throws {
        let old: String? = try value("SELECT phone_number FROM users WHERE id = $1", [.id(id)])
        guard let old, old != number.text else { return }
        try insertNumber(number.text, of: id)
        try deleteValues([.text(old)], from: "phone_numbers", by: "phone_number")
        try execute(
            "UPDATE users SET phone_number = $1, sms_stopped_at = NULL WHERE id = $2",
            [.text(number.text), .id(id)])
        try revokeSignUpTokens(for: [old, number.text])
        _ = try deleteNumberMove(of: id)
        try withdrawProofsOfNumber(of: id)
        noteCopyChange(of: id)
    }

    private func insertNumber(_ number: String, of id: UserID) throws {
        try execute(
            "INSERT INTO phone_numbers (phone_number, user_id) VALUES ($1, $2)",
            [.text(number), .id(id)])
    }

    public func updatePreferences(_ preferences: NotificationPreferences, of id: UserID) throws {
        let muted = preferences.muted.map(\.rawValue).sorted().joined(separator: " ")
        try execute("UPDATE users SET muted = $1 WHERE id = $2", [.text(muted), .id(id)])
    }
}
