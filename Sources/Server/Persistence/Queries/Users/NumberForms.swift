import Domain
import Foundation

extension SQLConnection {
    /// Returns a page of all phone numbers, in order.
    public func phoneNumbers(
        after number: String, limit: Int
    ) throws -> [(text: String, user: UserID)] {
        try query(
            """
            SELECT phone_number, user_id FROM phone_numbers WHERE phone_number > $1
            ORDER BY phone_number LIMIT $2
            """, [.text(number), .int(limit)]
        ) { (text: try $0["phone_number"], user: try $0["user_id"]) }
    }

    /// Returns a page of all people who have invited someone, in the order of their ids.
    public func inviters(after user: UserID?, limit: Int) throws -> [UserID] {
        let zero = ID<UserProfile>(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        return try values(
            """
            SELECT DISTINCT user_id FROM invitations WHERE user_id > $1 ORDER BY user_id LIMIT $2
            """, [.id(user ?? zero), .int(limit)])
    }
}

extension Transaction {
    /// Stores another form of the same number. Unlike `updatePhoneNumber`, this keeps a STOP.
    /// Throws `uniqueViolation` if another user has the new form.
    public func rewriteNumber(_ old: PhoneNumber, as new: PhoneNumber, of user: UserID) throws {
        try execute(
            "INSERT INTO phone_numbers (phone_number, user_id) VALUES ($1, $2)",
            [.text(new.text), .id(user)])
        try deleteValues([.text(old.text)], from: "phone_numbers", by: "phone_number")
        try execute(
            "UPDATE users SET phone_number = $1 WHERE id = $2", [.text(new.text), .id(user)])
        noteCopyChange(of: user)
    }

    /// Updates the number's hash in the blocks of a person.
    /// - Parameters:
    ///   - blockers: the people who may have blocked that person.
    ///   - old: the hashes by all keys.
    public func rewriteBlocks(
        of blocked: UserID, by blockers: [UserID], from old: [Data], to new: Data
    ) throws {
        for blocker in blockers {
            for hash in old {
                try execute(
                    """
                    UPDATE blocks SET phone_hash = $1
                    WHERE blocker_id = $2 AND blocked_id = $3 AND phone_hash = $4
                    """, [.blob(new), .id(blocker), .id(blocked), .blob(hash)])
            }
        }
    }

    public func rewriteInvitation(
        _ id: InvitationID, to number: PhoneNumber, of user: UserID
    ) throws {
        try execute(
            "UPDATE invitations SET phone_number = $1 WHERE user_id = $2 AND id = $3",
            [.text(number.text), .id(user), .id(id)])
    }

    /// Updates the hashes of a number. Messages of invitations have the inviting user's hash as the
    /// second one; a kept STOP has a second hash of the number itself, which START looks up.
    public func rewriteInvitationMessages(
        from old: (number: Data, user: Data), to new: (number: Data, user: Data)
    ) throws {
        try execute(
            """
            UPDATE invitation_messages SET number_hash = $1,
                user_hash = CASE WHEN user_hash = $2 THEN $3 ELSE user_hash END
            WHERE number_hash = $4
            """, [.blob(new.number), .blob(old.user), .blob(new.user), .blob(old.number)])
    }
}
