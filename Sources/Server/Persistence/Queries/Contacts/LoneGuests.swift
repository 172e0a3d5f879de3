import Domain
import Foundation

extension Transaction {
    /// Deletes guests who haven't been anyone's contact for the retention period, and returns their
    /// number. Starts this period for guests who have lost their last contact. Keeps
    /// `invitation_messages`, so that the guests get no further invitations. Skips guests locked by
    /// another transaction.
    func deleteLoneGuests(_ kind: CleanUp, _ bounds: [SQLValue], limit: Int) throws -> Int {
        let new: [UserID] = try values(Self.newLoneGuests, [.date(now), .int(limit)])
        for guest in try tryLock(new.sorted()) where try isAlone(guest) {
            try execute(
                "UPDATE users SET guest_alone_since = $1 WHERE id = $2", [.date(now), .id(guest)])
        }
        let due: [UserID] = try values(kind.selection, bounds)
        var deleted = 0
        for guest in try tryLock(due.sorted()) {
            guard let user = try user(guest), user.guestSince != nil else { continue }
            guard try isAlone(guest) else {
                try noteRelation(ofGuest: guest)
                continue
            }
            guard try !isInvited(user) else { continue }
            try deleteUser(user)
            deleted += 1
        }
        return deleted
    }

    /// Returns true if the number has neither an account nor a guest who is somebody's contact.
    public func isFree(_ number: PhoneNumber) throws -> Bool {
        guard let holder = try user(phoneNumber: number) else { return true }
        return try holder.guestSince != nil && isAlone(holder.id)
    }

    /// Deletes a guest with the number who isn't anyone's contact, before the retention period
    /// ends. Returns false if the number isn't free.
    public func free(_ number: PhoneNumber) throws -> Bool {
        guard try isFree(number) else { return false }
        if let holder = try user(phoneNumber: number) { try deleteUser(holder) }
        return true
    }

    /// Records that a guest has a contact, so the retention period doesn't run.
    public func noteRelation(ofGuest user: UserID) throws {
        try execute("UPDATE users SET guest_alone_since = NULL WHERE id = $1", [.id(user)])
    }

    private static let newLoneGuests = """
        SELECT id FROM users
        WHERE guest_since IS NOT NULL AND guest_alone_since IS NULL
            AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.user_id = users.id)
            AND guest_since <= $1 LIMIT $2
        """

    private func isAlone(_ guest: UserID) throws -> Bool { try countContacts(of: guest) == 0 }

    /// Returns true if the guest can still accept an invitation.
    private func isInvited(_ guest: UserRow) throws -> Bool {
        let recipient = try guest.phoneNumber?.text ?? confirmedEmail(of: guest.id)?.address
        guard let recipient else { return false }
        return try query(
            """
            SELECT created_at FROM invitations WHERE phone_number = $1 AND state = 'pending'
                AND answered_at IS NULL
            """, [.text(recipient)]
        ) { try $0["created_at"] as Date }
        .contains { InvitationRules.canBeAccepted(since: $0, at: now) }
    }
}

extension SQLConnection {
    /// Returns guests who are someone's contact but lack both a number and a confirmed address.
    public func unreachableGuests(limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT id FROM users
            WHERE guest_since IS NOT NULL AND phone_number LIKE $1
                AND NOT EXISTS (SELECT 1 FROM email_addresses
                    WHERE email_addresses.user_id = users.id AND address IS NOT NULL)
                AND EXISTS (SELECT 1 FROM contacts WHERE contacts.user_id = users.id)
            LIMIT $2
            """, [.text("\(PhoneNumber.noNumber)%"), .int(limit)])
    }
}
