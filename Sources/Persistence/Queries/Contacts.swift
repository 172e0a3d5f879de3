import Domain
import Foundation

/// One relation as `viewer` sees it.
public struct ContactRow: Sendable, Equatable {
    public var contact: UserID
    public var roles: ContactRoles
    public var createdAt: Date

    /// Columns: the other's id, whether they are a responder, whether they are a dependent, created_at.
    init(_ row: any SQLRow) throws {
        contact = row.id(0)
        roles = try ContactRoles(isResponder: row.bool(1), isDependent: row.bool(2))
        createdAt = row.date(3)
    }
}

/// Someone to be told.
public struct Recipient: Sendable, Equatable {
    public var id: UserID
    public var displayName: String
    public var preferences: NotificationPreferences
    public var phoneNumber: PhoneNumber
    /// They have agreed to be a responder. Who has not gets no SMS and no calls.
    public var isAccepted = true

    public init(_ user: UserRow) {
        id = user.id
        displayName = user.displayName
        preferences = user.preferences
        phoneNumber = user.phoneNumber
    }
}

extension SQLConnection {
    /// The relation is stored once, the lower id first; either side reads its own view.
    private static var views: String {
        """
        SELECT high_id AS contact_id, high_is_responder AS is_responder, low_is_responder AS is_dependent, created_at
        FROM contacts WHERE low_id = $1
        UNION ALL
        SELECT low_id, low_is_responder, high_is_responder, created_at FROM contacts WHERE high_id = $1
        """
    }

    public func contacts(of viewer: UserID) throws -> [ContactRow] {
        try query("\(Self.views) ORDER BY created_at DESC, contact_id", [.id(viewer)], ContactRow.init)
    }

    public func contact(_ other: UserID, of viewer: UserID) throws -> ContactRow? {
        let isLow = viewer < other
        return try first(
            isLow
                ? "SELECT high_id, high_is_responder, low_is_responder, created_at FROM contacts WHERE low_id = $1 AND high_id = $2"
                : "SELECT low_id, low_is_responder, high_is_responder, created_at FROM contacts WHERE high_id = $1 AND low_id = $2",
            [.id(viewer), .id(other)], ContactRow.init
        )
    }

    public func countContacts(of viewer: UserID) throws -> Int {
        try count("SELECT COUNT(*) FROM (\(Self.views)) AS views", [.id(viewer)])
    }

    /// The ids of those who watch over `user`.
    public func responderIDs(of user: UserID) throws -> [UserID] {
        try query(
            """
            SELECT high_id FROM contacts WHERE low_id = $1 AND high_is_responder = 1
            UNION ALL SELECT low_id FROM contacts WHERE high_id = $1 AND low_is_responder = 1
            """,
            [.id(user)]
        ) { $0.id(0) }
    }

    public func responders(of user: UserID) throws -> [Recipient] {
        try responderIDs(of: user).compactMap { try self.user($0).map(Recipient.init) }
    }

    /// Everything a list of contacts shows, for the viewer only.
    public func contactData(of viewer: UserID, only: UserID? = nil, at now: Date, pictureURL: (PictureID) -> URL?) throws -> [ContactData] {
        try query(
            """
            SELECT v.contact_id, v.is_responder, v.is_dependent, v.created_at,
                u.name, u.phone_number, u.picture_id, u.emergency_note,
                s.interval_seconds, s.last_check_in_at,
                EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind = 'manual' AND a.ended_at IS NULL),
                EXISTS (SELECT 1 FROM pings p WHERE p.responder_id = u.id AND p.dependent_id = $1 AND p.state = 'pending'),
                (SELECT p.created_at FROM pings p WHERE p.responder_id = $1 AND p.dependent_id = u.id AND p.state = 'pending'),
                EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind = 'missedCheckIn' AND a.ended_at IS NULL)
            FROM (\(Self.views)) AS v
            JOIN users u ON u.id = v.contact_id
            JOIN schedules s ON s.user_id = u.id
            WHERE $2 IS NULL OR v.contact_id = $2
            ORDER BY v.created_at DESC, v.contact_id
            """,
            [.id(viewer), .id(only)]
        ) { row in
            let settings = CheckInSettings(intervalSeconds: Int(row.integer(8)), remindTwoHoursBefore: false, remindThirtyMinutesBefore: false)
            let deadline = CheckInSchedule(settings: settings, lastCheckIn: row.optionalDate(9)).deadline
            return ContactData(
                id: row.id(0), name: row.text(4), phoneNumber: try PhoneNumber(row.text(5)),
                profilePictureURL: row.optionalID(6).flatMap(pictureURL),
                roles: try ContactRoles(isResponder: row.bool(1), isDependent: row.bool(2)),
                dateAdded: row.date(3), hasPendingPing: row.bool(11), pingedAt: row.optionalDate(12),
                watch: ContactData.WatchedState(
                    emergencyNote: row.text(7), lastCheckInTime: row.optionalDate(9), nextCheckInTime: deadline,
                    checkInIntervalSeconds: settings.intervalSeconds,
                    status: UserStatus(
                        hasOpenManualAlert: row.bool(10), hasOpenMissedAlert: row.bool(13),
                        deadline: deadline, at: now)
                )
            )
        }
    }
}

extension Transaction {
    /// Throws `uniqueViolation` when the two are contacts already. `roles` are the other's, as `viewer` sees them.
    public func insertContact(_ other: UserID, of viewer: UserID, roles: ContactRoles, at now: Date) throws {
        let (low, high) = viewer < other ? (viewer, other) : (other, viewer)
        let lowSees = viewer == low ? roles : roles.mirrored
        try execute(
            """
            INSERT INTO contacts (low_id, high_id, low_is_responder, high_is_responder, created_at,
                low_responder_since, high_responder_since)
            VALUES ($1, $2, $3, $4, $5, CASE WHEN $3 = 1 THEN $5 END, CASE WHEN $4 = 1 THEN $5 END)
            """,
            [.id(low), .id(high), .bool(lowSees.isDependent), .bool(lowSees.isResponder), .date(now)]
        )
    }

    public func updateContact(_ other: UserID, of viewer: UserID, roles: ContactRoles) throws {
        let (low, high) = viewer < other ? (viewer, other) : (other, viewer)
        let lowSees = viewer == low ? roles : roles.mirrored
        try execute(
            "UPDATE contacts SET low_is_responder = $1, high_is_responder = $2 WHERE low_id = $3 AND high_id = $4",
            [.bool(lowSees.isDependent), .bool(lowSees.isResponder), .id(low), .id(high)]
        )
    }

    public func deleteContact(_ other: UserID, of viewer: UserID) throws {
        let (low, high) = viewer < other ? (viewer, other) : (other, viewer)
        try execute("DELETE FROM contacts WHERE low_id = $1 AND high_id = $2", [.id(low), .id(high)])
    }
}

// MARK: QR codes

extension SQLConnection {
    public func qrCode(of user: UserID) throws -> (id: QRCodeID, createdAt: Date)? {
        try first("SELECT id, created_at FROM qr_codes WHERE user_id = $1", [.id(user)]) { (id: $0.id(0), createdAt: $0.date(1)) }
    }

    /// Whoever has the current id of a code may know whose it is.
    public func owner(ofCode id: QRCodeID) throws -> UserID? {
        try first("SELECT user_id FROM qr_codes WHERE id = $1", [.id(id)]) { $0.id(0) }
    }
}

extension Transaction {
    public func setQRCode(_ id: QRCodeID, of user: UserID, at now: Date) throws {
        try execute(
            """
            INSERT INTO qr_codes (user_id, id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, created_at = excluded.created_at
            """,
            [.id(user), .id(id), .date(now)]
        )
    }
}
