import Domain
import Foundation

/// One relation as `viewer` sees it.
public struct ContactRow: Sendable, Equatable {
    public var contact: UserID
    public var relation: Relation
    public var createdAt: Date

    public var roles: ContactRoles { relation.roles }

    static let columns = """
        contact_id, responder_in_force, responder_since, responder_request, responder_requested_at,
        dependent_in_force, dependent_since, dependent_request, dependent_requested_at, created_at
        """

    init(_ row: SQLRow) throws {
        contact = try row["contact_id"]
        relation = Relation(
            responder: try .init(row, .responder, mine: "owner"),
            dependent: try .init(row, .dependent, mine: "responder"))
        createdAt = try row["created_at"]
    }
}

extension Relation.Consent {
    /// The columns of one direction.
    fileprivate struct Columns {
        let inForce, since, request, requestedAt: String

        static let responder = Columns(
            inForce: "responder_in_force", since: "responder_since",
            request: "responder_request", requestedAt: "responder_requested_at")
        static let dependent = Columns(
            inForce: "dependent_in_force", since: "dependent_since",
            request: "dependent_request", requestedAt: "dependent_requested_at")
    }

    /// - Parameter mine: the text of `columns.request` for the viewer.
    fileprivate init(_ row: SQLRow, _ columns: Columns, mine: String) throws {
        if try row[columns.inForce] {
            self = .inForce(since: try row[columns.since])
        } else if let request: String = try row[columns.request] {
            self = .requested(isMine: request == mine, at: try row[columns.requestedAt])
        } else {
            self = .absent
        }
    }

    /// In force, since, request, requested at.
    fileprivate func values(mine: String, theirs: String) -> [SQLValue] {
        switch self {
        case .absent: [.bool(false), .null, .null, .null]
        case .requested(let isMine, let time):
            [.bool(false), .null, .text(isMine ? mine : theirs), .date(time)]
        case .inForce(let time): [.bool(true), .date(time), .null, .null]
        }
    }
}

/// A person to be notified.
public struct Recipient: Sendable, Equatable {
    public var id: UserID
    public var displayName: String
    public var preferences: NotificationPreferences
    public var phoneNumber: PhoneNumber
    /// They have agreed to be a responder. Without that they get no SMS and no calls.
    public var isAccepted = true

    public init(_ user: UserRow) {
        id = user.id
        displayName = user.displayName
        preferences = user.preferences
        phoneNumber = user.phoneNumber
    }
}

extension ContactData.WatchedState {
    fileprivate init(_ row: SQLRow, at now: Date) throws {
        let note: String = try row["emergency_note"]
        let settings = CheckInSettings(
            intervalSeconds: try row["interval_seconds"], remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: false)
        let lastCheckIn: Date? = try row["last_check_in_at"]
        let deadline = CheckInSchedule(settings: settings, lastCheckIn: lastCheckIn).deadline
        self.init(
            emergencyNote: note, lastCheckInTime: lastCheckIn, nextCheckInTime: deadline,
            checkInIntervalSeconds: settings.intervalSeconds,
            status: UserStatus(
                hasOpenManualAlert: try row["has_manual_alert"],
                hasOpenMissedAlert: try row["has_missed_alert"], deadline: deadline, at: now))
    }
}

extension SQLConnection {
    /// The relation is stored once, the lower id first; either side reads its own view.
    private static var views: String {
        """
        SELECT high_id AS contact_id, high_is_responder AS responder_in_force,
            high_responder_since AS responder_since, high_request AS responder_request,
            high_requested_at AS responder_requested_at, low_is_responder AS dependent_in_force,
            low_responder_since AS dependent_since, low_request AS dependent_request,
            low_requested_at AS dependent_requested_at, created_at
        FROM contacts WHERE low_id = $1
        UNION ALL
        SELECT low_id, low_is_responder, low_responder_since, low_request, low_requested_at,
            high_is_responder, high_responder_since, high_request, high_requested_at, created_at
        FROM contacts WHERE high_id = $1
        """
    }

    public func contacts(of viewer: UserID) throws -> [ContactRow] {
        try query(
            """
            SELECT \(ContactRow.columns) FROM (\(Self.views)) AS v
            ORDER BY created_at DESC, contact_id
            """,
            [.id(viewer)], ContactRow.init)
    }

    public func contact(_ other: UserID, of viewer: UserID) throws -> ContactRow? {
        try first(
            "SELECT \(ContactRow.columns) FROM (\(Self.views)) AS v WHERE contact_id = $2",
            [.id(viewer), .id(other)], ContactRow.init)
    }

    public func countContacts(of viewer: UserID) throws -> Int {
        try count("SELECT COUNT(*) FROM (\(Self.views)) AS views", [.id(viewer)])
    }

    /// The ids of those who watch over `user`, by consent of both.
    public func responderIDs(of user: UserID) throws -> [UserID] {
        try values(
            """
            SELECT high_id FROM contacts WHERE low_id = $1 AND high_is_responder = 1
            UNION ALL SELECT low_id FROM contacts WHERE high_id = $1 AND low_is_responder = 1
            """,
            [.id(user)])
    }

    /// Everyone who is notified of an alert: responders, and people asked to be one.
    public func responders(of user: UserID) throws -> [Recipient] {
        try query(
            """
            SELECT \(UserRow.columns), is_accepted FROM (
                SELECT high_id AS other_id, high_is_responder AS is_accepted, 1 AS part
                FROM contacts
                WHERE low_id = $1 AND (high_is_responder = 1 OR high_request = 'owner')
                UNION ALL
                SELECT low_id, low_is_responder, 2 FROM contacts
                WHERE high_id = $1 AND (low_is_responder = 1 OR low_request = 'owner')
            ) AS others JOIN users ON users.id = other_id ORDER BY part, other_id
            """,
            [.id(user)]
        ) { row in
            var recipient = Recipient(try UserRow(row))
            recipient.isAccepted = try row["is_accepted"]
            return recipient
        }
    }

    /// Everything a list of contacts shows, for the viewer only.
    public func contactData(
        of viewer: UserID, only: UserID? = nil, pictureURL: (PictureID) -> URL?
    ) throws -> [ContactData] {
        try query(
            """
            SELECT v.*, u.name, u.phone_number, u.picture_id,
                EXISTS (SELECT 1 FROM pings p WHERE p.responder_id = u.id AND p.dependent_id = $1
                    AND p.state = 'pending') AS has_pending_ping,
                (SELECT p.created_at FROM pings p WHERE p.responder_id = $1
                    AND p.dependent_id = u.id AND p.state = 'pending') AS pinged_at,
                u.emergency_note, s.interval_seconds, s.last_check_in_at,
                EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind = 'manual'
                    AND a.ended_at IS NULL) AS has_manual_alert,
                EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind = 'missedCheckIn'
                    AND a.ended_at IS NULL) AS has_missed_alert
            FROM (\(Self.views)) AS v
            JOIN users u ON u.id = v.contact_id
            JOIN schedules s ON s.user_id = u.id
            WHERE v.contact_id = $2 OR $2 IS NULL
            ORDER BY v.created_at DESC, v.contact_id
            """,
            [.id(viewer), .id(only)]
        ) { row in
            let contact = try ContactRow(row)
            let isConnected = contact.relation.isConnected
            let pictureID: PictureID? = try row["picture_id"]
            return ContactData(
                id: contact.contact, name: try row["name"],
                phoneNumber: isConnected ? try PhoneNumber(row["phone_number"]) : nil,
                profilePictureURL: isConnected ? pictureID.flatMap(pictureURL) : nil,
                roles: contact.roles, dateAdded: contact.createdAt,
                hasPendingPing: try row["has_pending_ping"], pingedAt: try row["pinged_at"],
                watch: try ContactData.WatchedState(row, at: now),
                requests: contact.relation.requests
            )
        }
    }
}

extension Transaction {
    /// Throws `uniqueViolation` when the two are contacts already. `relation` is as `viewer` sees
    /// it.
    public func insertContact(_ other: UserID, of viewer: UserID, relation: Relation) throws {
        let (low, high, lowSees) = Self.ordered(other, viewer, relation)
        try execute(
            """
            INSERT INTO contacts (low_id, high_id, high_is_responder, high_responder_since,
                high_request, high_requested_at, low_is_responder, low_responder_since,
                low_request, low_requested_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            """,
            [.id(low), .id(high)] + Self.values(lowSees) + [.date(now)])
    }

    /// By consent of both. `roles` are the other's, as `viewer` sees them.
    public func insertContact(_ other: UserID, of viewer: UserID, roles: ContactRoles) throws {
        try insertContact(other, of: viewer, relation: Relation(agreed: roles, at: now))
    }

    public func updateContact(_ other: UserID, of viewer: UserID, relation: Relation) throws {
        let (low, high, lowSees) = Self.ordered(other, viewer, relation)
        try execute(
            """
            UPDATE contacts SET high_is_responder = $1, high_responder_since = $2,
                high_request = $3, high_requested_at = $4, low_is_responder = $5,
                low_responder_since = $6, low_request = $7, low_requested_at = $8
            WHERE low_id = $9 AND high_id = $10
            """,
            Self.values(lowSees) + [.id(low), .id(high)])
    }

    public func deleteContact(_ other: UserID, of viewer: UserID) throws {
        let (low, high) = viewer < other ? (viewer, other) : (other, viewer)
        try execute(
            "DELETE FROM contacts WHERE low_id = $1 AND high_id = $2", [.id(low), .id(high)])
    }

    private static func ordered(
        _ other: UserID, _ viewer: UserID, _ relation: Relation
    ) -> (low: UserID, high: UserID, lowSees: Relation) {
        viewer < other ? (viewer, other, relation) : (other, viewer, relation.mirrored)
    }

    private static func values(_ lowSees: Relation) -> [SQLValue] {
        lowSees.responder.values(mine: "owner", theirs: "responder")
            + lowSees.dependent.values(mine: "responder", theirs: "owner")
    }
}
