import Domain
import Foundation

/// A row of `email_codes`: an address that a user entered, and the code sent there.
public struct EmailCodeRow: Sendable {
    public enum State: Int, Sendable {
        /// A message with the code was sent or is about to be.
        case sent
        case answered
        case notSent
    }

    public var id: UUID
    public var mailboxHash: Data
    public var userHash: Data
    /// The hash of the network address of the request.
    public var addressHash: Data
    public var networkHash: Data?
    public var codeHash: Data
    public var expiresAt: Date
    public var triesLeft: Int
    public var state: State

    public init(
        id: UUID, mailboxHash: Data, userHash: Data, addressHash: Data, networkHash: Data?
    ) {
        self.id = id
        self.mailboxHash = mailboxHash
        self.userHash = userHash
        self.addressHash = addressHash
        self.networkHash = networkHash
        codeHash = Data()
        expiresAt = .distantPast
        triesLeft = 0
        state = .notSent
    }
}

/// The code in a message that its mailbox hasn't answered.
public struct UnansweredCode: Sendable {
    public var id: UUID
    public var sentAt: Date
    public var expiresAt: Date
    public var triesLeft: Int
}

public struct ConfirmedEmail: Sendable, Equatable {
    public var address: String
    /// When the code was entered.
    public var verifiedAt: Date

    public init(address: String, verifiedAt: Date) {
        self.address = address
        self.verifiedAt = verifiedAt
    }
}

extension SQLConnection {
    public func emailStatus(of user: UserID) throws -> EmailStatus {
        try first(
            """
            SELECT address, verified_at, last_success_at, failing_since, last_failure, new_address
            FROM email_addresses WHERE user_id = $1
            """, [.id(user)]
        ) { row in
            var status = EmailStatus(
                address: try row["address"], verifiedAt: try row["verified_at"],
                unverifiedAddress: try row["new_address"],
                lastSuccessAt: try row["last_success_at"],
                failingSince: try row["failing_since"])
            status.lastFailure = try row["last_failure"]
            return status
        } ?? EmailStatus()
    }

    public func confirmedEmail(of user: UserID) throws -> ConfirmedEmail? {
        try first(
            """
            SELECT address, verified_at FROM email_addresses
            WHERE user_id = $1 AND address IS NOT NULL
            """, [.id(user)]
        ) {
            ConfirmedEmail(address: try $0["address"], verifiedAt: try $0["verified_at"])
        }
    }

    public func peopleWithEmail(among people: [UserID]) throws -> Set<UserID> {
        Set(
            try query(
                about: people,
                {
                    """
                    SELECT user_id FROM email_addresses
                    WHERE address IS NOT NULL AND user_id \($0)
                    """
                }
            ) { try $0["user_id"] as UserID })
    }

    /// Returns the address that awaits a code, with the code.
    public func newEmailAddress(of user: UserID) throws -> (address: String, code: EmailCodeRow)? {
        let waiting = try first(
            """
            SELECT new_address, code_id FROM email_addresses
            WHERE user_id = $1 AND new_address IS NOT NULL
            """, [.id(user)]
        ) { (address: try $0["new_address"] as String, code: try $0["code_id"] as UUID) }
        guard let waiting else { return nil }
        return try first(
            """
            SELECT mailbox_hash, user_hash, address_hash, network_hash, code_hash, expires_at,
                tries_left, state
            FROM email_codes WHERE id = $1
            """, [.uuid(waiting.code)]
        ) { row in
            var code = EmailCodeRow(
                id: waiting.code, mailboxHash: try row["mailbox_hash"],
                userHash: try row["user_hash"], addressHash: try row["address_hash"],
                networkHash: try row["network_hash"])
            code.codeHash = try row["code_hash"]
            code.expiresAt = try row["expires_at"]
            code.triesLeft = try row["tries_left"]
            code.state = .init(rawValue: try row["state"]) ?? .notSent
            return (waiting.address, code)
        }
    }

    /// Returns the times of unanswered messages to a mailbox, by any user.
    public func unansweredEmails(toMailbox hash: Data) throws -> [Date] {
        try values(
            "SELECT created_at FROM email_codes WHERE mailbox_hash = $1 AND state = 0",
            [.blob(hash)])
    }

    /// Returns the codes in the user's unanswered messages to the mailbox, the newest first.
    public func unansweredCodes(like code: EmailCodeRow) throws -> [UnansweredCode] {
        try query(
            """
            SELECT id, created_at, expires_at, tries_left FROM email_codes
            WHERE mailbox_hash = $1 AND state = 0 AND user_hash = $2 ORDER BY created_at DESC
            """, [.blob(code.mailboxHash), .blob(code.userHash)]
        ) { row in
            UnansweredCode(
                id: try row["id"], sentAt: try row["created_at"],
                expiresAt: try row["expires_at"], triesLeft: try row["tries_left"])
        }
    }

    /// Returns the times of earlier requests by the same user, network address or IPv6 /48, and by
    /// all users.
    /// - Parameter limit: the maximum number of requests to return for all users.
    public func emailCodeTimes(
        like code: EmailCodeRow, since time: Date, limit: Int
    ) throws -> SentEmailCodes {
        var sent = SentEmailCodes()
        func times(_ column: String, _ hash: Data) throws -> [Date] {
            try values(
                "SELECT created_at FROM email_codes WHERE \(column) = $1 AND created_at > $2",
                [.blob(hash), .date(time)])
        }
        sent.byUser = try times("user_hash", code.userHash)
        sent.fromAddress = try times("address_hash", code.addressHash)
        if let network = code.networkHash {
            sent.fromNetwork = try times("network_hash", network)
        }
        if limit > 0 {
            sent.inAll = try values(
                """
                SELECT created_at FROM email_codes WHERE created_at > $1 AND created_at < $2
                ORDER BY created_at DESC LIMIT $3
                """, [.date(time), .date(now.adding(SlidingWindow.skew)), .int(limit)])
        }
        return sent
    }
}

extension Transaction {
    public func insert(_ code: EmailCodeRow) throws {
        try execute(
            """
            INSERT INTO email_codes (id, mailbox_hash, user_hash, address_hash, network_hash,
                code_hash, created_at, expires_at, tries_left, state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .uuid(code.id), .blob(code.mailboxHash), .blob(code.userHash),
                .blob(code.addressHash), code.networkHash.map { .blob($0) } ?? .null,
                .blob(code.codeHash), .date(now), .date(code.expiresAt), .int(code.triesLeft),
                .int(code.state.rawValue),
            ])
    }

    public func update(_ code: EmailCodeRow) throws {
        try execute(
            "UPDATE email_codes SET tries_left = $1, state = $2 WHERE id = $3",
            [.int(code.triesLeft), .int(code.state.rawValue), .uuid(code.id)])
    }

    /// Marks a message as not sent, so that its mailbox may get another one.
    public func forgetEmail(withCode id: UUID) throws {
        try execute(
            "UPDATE email_codes SET state = 2, tries_left = 0 WHERE id = $1 AND state = 0",
            [.uuid(id)])
    }

    /// Stores an address until its code is entered. Until then, messages go to the previous
    /// address.
    public func setNewEmailAddress(
        _ address: EmailAddress, code: UUID, of user: UserID
    ) throws {
        try execute(
            """
            INSERT INTO email_addresses (user_id, new_address, code_id) VALUES ($1, $2, $3)
            ON CONFLICT (user_id) DO UPDATE SET new_address = excluded.new_address,
                code_id = excluded.code_id
            """, [.id(user), .text(address.text), .uuid(code)])
    }

    /// Replaces the previous address by the new one. The history of the previous address is lost.
    public func confirmNewEmailAddress(of user: UserID) throws {
        try settleEmails(of: user)
        noteReach(of: user)
        let changed = try execute(
            """
            UPDATE email_addresses SET address = new_address, verified_at = $1, new_address = NULL,
                code_id = NULL, last_success_at = NULL, failing_since = NULL, last_failure = NULL
            WHERE user_id = $2 AND new_address IS NOT NULL
            """, [.date(now), .id(user)])
        if changed > 0 { try withdrawProofOfEmail(of: user) }
    }

    /// Deletes the confirmed and the unconfirmed address. Returns false if there was none.
    public func deleteEmailAddress(of user: UserID) throws -> Bool {
        try settleEmails(of: user)
        noteReach(of: user)
        return try execute("DELETE FROM email_addresses WHERE user_id = $1", [.id(user)]) > 0
    }

    /// Removes the confirmed address, but keeps a new one that awaits its code. Returns false if
    /// no address was confirmed.
    public func removeConfirmedEmail(of user: UserID) throws -> Bool {
        guard try confirmedEmail(of: user) != nil else { return false }
        let kept = try execute(
            """
            UPDATE email_addresses SET address = NULL, verified_at = NULL, last_success_at = NULL,
                failing_since = NULL, last_failure = NULL
            WHERE user_id = $1 AND new_address IS NOT NULL
            """, [.id(user)])
        guard kept > 0 else { return try deleteEmailAddress(of: user) }
        try settleEmails(of: user)
        noteReach(of: user)
        return true
    }

    /// Fails unsent messages, which were meant for the previous address.
    private func settleEmails(of user: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET next_try_at = NULL, state = 'failed', reason = 'endpoint-removed'
            WHERE next_try_at IS NOT NULL AND user_id = $1 AND channel = 'email'
            """, [.id(user)])
    }
}
