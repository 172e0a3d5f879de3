import Domain
import Foundation

/// A contact as `viewer` sees it.
public struct ContactRow: Sendable, Equatable {
    public var contact: UserID
    public var relation: Relation
    public var createdAt: Date
    /// The contact's position in the viewer's order of responders.
    public var position: Int?

    public var roles: ContactRoles { relation.roles }

    static let columns = """
        contact_id, responder_in_force, responder_since, responder_request, responder_requested_at,
        dependent_in_force, dependent_since, dependent_request, dependent_requested_at, created_at,
        position
        """

    init(_ row: SQLRow) throws {
        contact = try row["contact_id"]
        relation = Relation(
            responder: try .init(row, .responder, mine: "owner"),
            dependent: try .init(row, .dependent, mine: "responder"))
        createdAt = try row["created_at"]
        position = try row["position"]
    }
}

extension Relation.Consent {
    /// The columns of one role of a contact: responder or dependent.
    fileprivate struct Columns {
        let inForce, since, request, requestedAt: String

        static let responder = Columns(
            inForce: "responder_in_force", since: "responder_since",
            request: "responder_request", requestedAt: "responder_requested_at")
        static let dependent = Columns(
            inForce: "dependent_in_force", since: "dependent_since",
            request: "dependent_request", requestedAt: "dependent_requested_at")
    }

    /// - Parameter mine: the value in `columns.request` for a request by the viewer.
    fileprivate init(_ row: SQLRow, _ columns: Columns, mine: String) throws {
        if try row[columns.inForce] {
            self = .inForce(since: try row[columns.since])
        } else if let request: String = try row[columns.request] {
            self = .requested(isMine: request == mine, at: try row[columns.requestedAt])
        } else {
            self = .absent
        }
    }

    /// Returns the values of a role's four columns: in force, since, request, requested at.
    fileprivate func values(mine: String, theirs: String) -> [SQLValue] {
        switch self {
        case .absent: [.bool(false), .null, .null, .null]
        case .requested(let isMine, let time):
            [.bool(false), .null, .text(isMine ? mine : theirs), .date(time)]
        case .inForce(let time): [.bool(true), .date(time), .null, .null]
        }
    }
}

public struct Recipient: Sendable, Equatable {
    public var id: UserID
    public var displayName: String
    public var preferences: NotificationPreferences
    public var phoneNumber: PhoneNumber?
    /// The IANA name of the time zone, if known.
    public var timeZone: String?
    /// True if the person has agreed to be a responder. Otherwise they get no SMS and no calls.
    public var isAccepted = true
    public var hasEmailAddress = false
    /// True if the person has sent STOP by SMS.
    public var hasStoppedTexts: Bool
    /// True for a person without an account.
    public var isGuest: Bool

    public init(_ user: UserRow) {
        id = user.id
        displayName = user.displayName
        preferences = user.preferences
        phoneNumber = user.phoneNumber
        timeZone = user.timeZone
        hasStoppedTexts = user.smsStoppedAt != nil
        isGuest = user.guestSince != nil
    }

    /// Uses the owner's time zone for a guest, whose time zone is unknown.
    public mutating func readTimes(like owner: UserRow?) {
        if isGuest { timeZone = timeZone ?? owner?.timeZone }
    }
}

extension SQLConnection {
    public func contacts(of viewer: UserID) throws -> [ContactRow] {
        try query(
            """
            SELECT \(ContactRow.columns) FROM contacts WHERE user_id = $1
            ORDER BY created_at DESC, contact_id
            """,
            [.id(viewer)], ContactRow.init)
    }

    public func contact(_ other: UserID, of viewer: UserID) throws -> ContactRow? {
        try first(
            "SELECT \(ContactRow.columns) FROM contacts WHERE user_id = $1 AND contact_id = $2",
            [.id(viewer), .id(other)], ContactRow.init)
    }

    public func countContacts(of viewer: UserID) throws -> Int {
        try count("SELECT COUNT(*) FROM contacts WHERE user_id = $1", [.id(viewer)])
    }

    /// Returns the user's responders who have accepted, in calling order.
    public func responderIDs(of user: UserID) throws -> [UserID] {
        try responderIDs(of: [user])[user] ?? []
    }

    /// Batch version. People without responders are omitted.
    public func responderIDs(of users: [UserID]) throws -> [UserID: [UserID]] {
        let rows = try query(
            about: users,
            {
                """
                SELECT user_id, contact_id FROM contacts
                WHERE responder_in_force = 1 AND user_id \($0)
                ORDER BY position IS NULL, position, created_at, contact_id
                """
            }
        ) { (user: try $0["user_id"] as UserID, responder: try $0["contact_id"] as UserID) }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.responder) }
    }

    /// Returns everyone who is notified of an alert: responders, and people asked to become one.
    public func responders(of user: UserID) throws -> [Recipient] {
        try responders(of: [user])[user] ?? []
    }

    /// Batch version. People without responders are omitted.
    public func responders(of users: [UserID]) throws -> [UserID: [Recipient]] {
        let rows = try query(
            about: users,
            {
                """
                SELECT user_id, contact_id, responder_in_force FROM contacts
                WHERE (responder_in_force = 1 OR responder_request = 'owner') AND user_id \($0)
                ORDER BY user_id, contact_id
                """
            }
        ) {
            (
                owner: try $0["user_id"] as UserID, id: try $0["contact_id"] as UserID,
                isAccepted: try $0["responder_in_force"] as Bool
            )
        }
        let people = try self.users(Set(rows.map(\.id)).sorted())
        let ofGuests = rows.filter { people[$0.id].map { $0.guestSince != nil } ?? false }
        let owners = try self.users(Set(ofGuests.map(\.owner)).sorted())
        var responders: [UserID: [Recipient]] = [:]
        for row in rows {
            guard var recipient = people[row.id].map({ Recipient($0) }) else { continue }
            recipient.isAccepted = row.isAccepted
            recipient.readTimes(like: owners[row.owner])
            responders[row.owner, default: []].append(recipient)
        }
        return responders
    }
}

extension Transaction {
    /// Inserts a row for each side. Throws `uniqueViolation` if the two are already contacts.
    /// - Parameter relation: the relation as `viewer` sees it.
    public func insertContact(_ other: UserID, of viewer: UserID, relation: Relation) throws {
        for side in Self.sides(viewer, other, relation) {
            try execute(
                """
                INSERT INTO contacts (user_id, contact_id, responder_in_force, responder_since,
                    responder_request, responder_requested_at, dependent_in_force,
                    dependent_since, dependent_request, dependent_requested_at, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """,
                [.id(side.user), .id(side.contact)] + side.values + [.date(now)])
        }
        try insertAcquaintance(viewer, other)
    }

    /// Adds a contact with the consent of both.
    /// - Parameter roles: the roles of `other`, as `viewer` sees them.
    public func insertContact(_ other: UserID, of viewer: UserID, roles: ContactRoles) throws {
        try insertContact(other, of: viewer, relation: Relation(agreed: roles, at: now))
    }

    public func updateContact(_ other: UserID, of viewer: UserID, relation: Relation) throws {
        for side in Self.sides(viewer, other, relation) {
            try execute(
                """
                UPDATE contacts SET responder_in_force = $1, responder_since = $2,
                    responder_request = $3, responder_requested_at = $4, dependent_in_force = $5,
                    dependent_since = $6, dependent_request = $7, dependent_requested_at = $8
                WHERE user_id = $9 AND contact_id = $10
                """,
                side.values + [.id(side.user), .id(side.contact)])
        }
    }

    /// Sets the user's order of responders. Other contacts lose their position.
    public func saveOrder(_ responders: [UserID], of user: UserID) throws {
        try execute(
            "UPDATE contacts SET position = NULL WHERE user_id = $1 AND position IS NOT NULL",
            [.id(user)])
        for (position, responder) in responders.enumerated() {
            try execute(
                "UPDATE contacts SET position = $1 WHERE user_id = $2 AND contact_id = $3",
                [.int(position), .id(user), .id(responder)])
        }
    }

    public func deleteContact(_ other: UserID, of viewer: UserID) throws {
        for (user, contact) in [(viewer, other), (other, viewer)] {
            try execute(
                "DELETE FROM contacts WHERE user_id = $1 AND contact_id = $2",
                [.id(user), .id(contact)])
        }
    }

    private static func sides(
        _ viewer: UserID, _ other: UserID, _ relation: Relation
    ) -> [(user: UserID, contact: UserID, values: [SQLValue])] {
        [
            (viewer, other, values(relation)),
            (other, viewer, values(relation.mirrored)),
        ]
    }

    private static func values(_ seen: Relation) -> [SQLValue] {
        seen.responder.values(mine: "owner", theirs: "responder")
            + seen.dependent.values(mine: "responder", theirs: "owner")
    }
}
