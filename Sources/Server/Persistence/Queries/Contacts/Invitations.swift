import Domain
import Foundation

public typealias InvitationMessageID = ID<InvitationMessageRow>

/// A row of `invitation_messages`: one invitation, with or without a message.
public struct InvitationMessageRow: Sendable {
    public var id: InvitationMessageID
    public var numberHash: Data
    public var userHash: Data
    public var wasSent: Bool

    public init(id: InvitationMessageID, numberHash: Data, userHash: Data, wasSent: Bool) {
        self.id = id
        self.numberHash = numberHash
        self.userHash = userHash
        self.wasSent = wasSent
    }
}

extension Invitation {
    static let columns =
        "id, name, phone_number, state, created_at, answered_at, contact_id"

    init(_ row: SQLRow) throws {
        let state: String = try row["state"]
        // The column also holds e-mail addresses, so that older servers can show them.
        let recipient: String = try row["phone_number"]
        let isAddress = recipient.contains("@")
        self.init(
            id: try row["id"], name: try row["name"], phoneNumber: isAddress ? "" : recipient,
            state: State(rawValue: state) ?? .pending, createdAt: try row["created_at"],
            answeredAt: try row["answered_at"], contactID: try row["contact_id"])
        emailAddress = isAddress ? recipient : nil
    }

    /// True if the relation with the invited person ended without their "yes", or if one of the
    /// two blocked the other. The link is invalid. The owner sees a pending or declined invitation:
    /// its end would reveal whose number or address it has, or a block.
    public var isEnded: Bool {
        switch state {
        case .pending: answeredAt != nil
        case .accepted: false
        case .declined: contactID?.uuid == id.uuid
        }
    }

    /// Marks a pending or declined invitation as ended. A declined one keeps the time of the
    /// answer, so its own id marks it.
    public mutating func end(at now: Date) {
        if state == .pending { answeredAt = now }
        contactID = state == .declined ? UserID(id.uuid) : nil
    }
}

extension SQLConnection {
    /// Returns the invitations, oldest first. Omits accepted ones whose contact was removed. Only
    /// accepted invitations have a contact, because others would reveal whose address they name.
    public func invitations(of user: UserID) throws -> [Invitation] {
        let contacts = Set(try self.contacts(of: user).map(\.contact))
        return try allInvitations(of: user).filter {
            $0.state != .accepted || $0.contactID.map(contacts.contains) ?? true
        }.map { invitation in
            var invitation = invitation
            if invitation.state == .pending { invitation.answeredAt = nil }
            if invitation.state != .accepted { invitation.contactID = nil }
            return invitation
        }
    }

    public func allInvitations(of user: UserID) throws -> [Invitation] {
        try query(
            """
            SELECT \(Invitation.columns) FROM invitations WHERE user_id = $1
            ORDER BY created_at, id
            """, [.id(user)], Invitation.init)
    }

    /// Returns the invitation; nil if it has ended.
    public func invitation(_ id: InvitationID, of user: UserID) throws -> Invitation? {
        let invitation = try first(
            "SELECT \(Invitation.columns) FROM invitations WHERE user_id = $1 AND id = $2",
            [.id(user), .id(id)], Invitation.init)
        return invitation?.isEnded == true ? nil : invitation
    }

    public func invitationTimes(userHash: Data, since time: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM invitation_messages WHERE user_hash = $1 AND created_at > $2
            """, [.blob(userHash), .date(time)])
    }

    /// Returns the times of this user's messages to the number that were sent.
    public func invitationMessageTimes(
        toNumber hash: Data, by userHash: Data
    ) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM invitation_messages
            WHERE number_hash = $1 AND was_sent = 1 AND user_hash = $2
            """, [.blob(hash), .blob(userHash)])
    }

    /// Returns the times of all messages to the number, and of those that this user caused.
    public func invitationMessages(
        toNumber hash: Data, by userHash: Data
    ) throws -> (times: [Date], ownTimes: [Date]) {
        let rows = try query(
            """
            SELECT user_hash, created_at FROM invitation_messages
            WHERE number_hash = $1 AND was_sent = 1
            """, [.blob(hash)]
        ) { (user: try $0["user_hash"] as Data, time: try $0["created_at"] as Date) }
        return (rows.map(\.time), rows.filter { $0.user == userHash }.map(\.time))
    }
}

extension Transaction {
    public func insert(_ message: InvitationMessageRow) throws {
        try execute(
            """
            INSERT INTO invitation_messages (id, number_hash, user_hash, created_at, was_sent)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(message.id), .blob(message.numberHash), .blob(message.userHash), .date(now),
                .bool(message.wasSent),
            ])
    }

    /// Marks a message as not sent, so that its recipient may get another one.
    public func forgetInvitationMessage(_ id: InvitationMessageID) throws {
        try execute("UPDATE invitation_messages SET was_sent = 0 WHERE id = $1", [.id(id)])
        try forgetEmail(withCode: id.uuid)
    }

    /// Marks this user's messages to the number as not sent.
    public func forgetInvitationMessages(toNumber hash: Data, by userHash: Data) throws {
        try execute(
            "UPDATE invitation_messages SET was_sent = 0 WHERE number_hash = $1 AND user_hash = $2",
            [.blob(hash), .blob(userHash)])
    }

    public func save(_ invitation: Invitation, of user: UserID) throws {
        try execute(
            """
            INSERT INTO invitations (user_id, id, name, phone_number, state, created_at,
                answered_at, contact_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (user_id, id) DO UPDATE SET name = excluded.name, state = excluded.state,
                created_at = excluded.created_at, answered_at = excluded.answered_at,
                contact_id = excluded.contact_id
            """,
            [
                .id(user), .id(invitation.id), .text(invitation.name),
                .text(invitation.recipient), .text(invitation.state.rawValue),
                .date(invitation.createdAt), invitation.answeredAt.map { .date($0) } ?? .null,
                invitation.contactID.map { .id($0) } ?? .null,
            ])
    }

    /// Makes the link of an ended invitation valid again, until 30 days after the invitation was
    /// made. Returns false if it hasn't ended.
    public func reopenInvitation(_ id: InvitationID, of user: UserID) throws -> Bool {
        try execute(
            """
            UPDATE invitations SET contact_id = NULL,
                answered_at = CASE WHEN state = 'pending' THEN NULL ELSE answered_at END
            WHERE user_id = $1 AND id = $2
                AND (state = 'pending' AND answered_at IS NOT NULL
                    OR state = 'declined' AND contact_id = id)
            """, [.id(user), .id(id)]) > 0
    }

    public func deleteInvitation(_ id: InvitationID, of user: UserID) throws {
        try execute(
            "DELETE FROM invitations WHERE user_id = $1 AND id = $2", [.id(user), .id(id)])
    }

    /// Turns an account into a guest, or a guest into an account if `time` is nil.
    public func setGuest(since time: Date?, _ user: UserID) throws {
        try execute(
            "UPDATE users SET guest_since = $1, copy_waits = $2 WHERE id = $3",
            [time.map { .date($0) } ?? .null, .bool(time == nil), .id(user)])
        noteCopyChange(of: user)
    }
}
