import Domain
import Foundation

extension SQLConnection {
    /// Returns the user with this confirmed address. If several have confirmed it, returns the
    /// first.
    public func user(emailAddress address: EmailAddress) throws -> UserRow? {
        let user: UserID? = try value(
            """
            SELECT user_id FROM email_addresses WHERE lower(address) = $1
            ORDER BY verified_at, user_id LIMIT 1
            """, [.text(address.text.lowercased())])
        return try user.flatMap { try self.user($0) }
    }

    /// Returns the user's acquaintances with this mailbox. Different spellings of an address count
    /// as the same mailbox.
    public func acquaintances(of user: UserID, atMailbox mailbox: String) throws -> [UserID] {
        let people = try acquaintances(of: user)
        return try query(
            about: people,
            {
                """
                SELECT user_id, address FROM email_addresses
                WHERE address IS NOT NULL AND user_id \($0)
                """
            }
        ) { (user: try $0["user_id"] as UserID, address: try $0["address"] as String) }
        .filter { (try? EmailAddress($0.address))?.mailbox == mailbox }
        .map(\.user)
    }
}

extension Transaction {
    /// Marks the messages that one user has caused to a mailbox as answered.
    public func answerEmails(toMailbox mailbox: Data, askedBy user: Data) throws {
        try execute(
            """
            UPDATE email_codes SET state = 1
            WHERE mailbox_hash = $1 AND user_hash = $2 AND state = 0
            """, [.blob(mailbox), .blob(user)])
    }

    /// Gives an e-mail address to a guest without one, who proved it by opening a link.
    public func insertEmailAddress(_ address: EmailAddress, of user: UserID) throws {
        try execute(
            "INSERT INTO email_addresses (user_id, address, verified_at) VALUES ($1, $2, $3)",
            [.id(user), .text(address.text), .date(now)])
    }
}
