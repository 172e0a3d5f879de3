import Domain
import Foundation

/// A row of `sign_in_codes`: one request for a code.
public struct CodeRow: Sendable, Equatable {
    public var id: UUID
    public var hash: Data
    public var expiresAt: Date
    public var triesLeft: Int
    /// The device that asked, if it has signed in to the number before; else the address.
    public var requesterHash: Data?
    /// The IPv6 /48 that the request came from.
    public var networkHash: Data?
    /// True for a test number, which gets no message.
    public var isTest: Bool

    public init(
        id: UUID, hash: Data, expiresAt: Date, triesLeft: Int, requesterHash: Data? = nil,
        networkHash: Data? = nil,
        isTest: Bool = false
    ) {
        self.id = id
        self.hash = hash
        self.expiresAt = expiresAt
        self.triesLeft = triesLeft
        self.requesterHash = requesterHash
        self.networkHash = networkHash
        self.isTest = isTest
    }

    static let columns =
        "id, code_hash, expires_at, tries_left, requester_hash, network_hash, is_test"

    init(_ row: SQLRow) throws {
        self.init(
            id: try row["id"], hash: try row["code_hash"], expiresAt: try row["expires_at"],
            triesLeft: try row["tries_left"], requesterHash: try row["requester_hash"],
            networkHash: try row["network_hash"], isTest: try row["is_test"])
    }
}

extension SQLConnection {
    /// The times when codes went to a number, and their requesters. A row from before requesters
    /// were known counts as its address's.
    public func codeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [(
        time: Date, requester: Data
    )] {
        try query(
            """
            SELECT created_at, COALESCE(requester_hash, address_hash) AS requester
            FROM sign_in_codes WHERE phone_number = $1 AND created_at > $2
            """,
            [.text(phoneNumber.text), .date(since)]
        ) { (time: try $0["created_at"], requester: try $0["requester"]) }
    }

    /// The times when codes went to a number for devices that have not signed in to it before.
    public func strangersCodeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE phone_number = $1 AND created_at > $2
                AND (requester_hash IS NULL OR requester_hash = address_hash)
            """, [.text(phoneNumber.text), .date(since)])
    }

    public func codeTimes(addressHash: Data, since: Date) throws -> [Date] {
        try values(
            "SELECT created_at FROM sign_in_codes WHERE address_hash = $1 AND created_at > $2",
            [.blob(addressHash), .date(since)])
    }

    public func codeTimes(networkHash: Data, since: Date) throws -> [Date] {
        try values(
            "SELECT created_at FROM sign_in_codes WHERE network_hash = $1 AND created_at > $2",
            [.blob(networkHash), .date(since)])
    }

    /// The times of the newest codes that cost something.
    public func paidCodeTimes(since: Date, limit: Int) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes WHERE is_test = 0 AND created_at > $1
            ORDER BY created_at DESC LIMIT $2
            """,
            [.date(since), .int(limit)])
    }

    /// The code of one request.
    public func code(_ id: CodeRequestID, for number: PhoneNumber) throws -> CodeRow? {
        try first(
            "SELECT \(CodeRow.columns) FROM sign_in_codes WHERE id = $1 AND phone_number = $2",
            [.id(id), .text(number.text)], CodeRow.init)
    }

    /// The newest code of a number.
    public func newestCode(for number: PhoneNumber) throws -> CodeRow? {
        try first(
            """
            SELECT \(CodeRow.columns) FROM sign_in_codes
            WHERE phone_number = $1 ORDER BY created_at DESC, id DESC LIMIT 1
            """,
            [.text(number.text)], CodeRow.init)
    }

    /// The newest code of a number that this device or this address asked for.
    public func newestCode(
        for number: PhoneNumber, device: Data?, address: Data
    ) throws -> CodeRow? {
        try first(
            """
            SELECT \(CodeRow.columns) FROM sign_in_codes
            WHERE phone_number = $1 AND COALESCE(requester_hash, address_hash) IN ($2, $3)
            ORDER BY created_at DESC, id DESC LIMIT 1
            """,
            [.text(number.text), .blob(device ?? address), .blob(address)], CodeRow.init)
    }

    /// True if a device has signed in to this number's account before.
    public func isKnown(device hash: Data, to number: PhoneNumber) throws -> Bool {
        guard let owner = try owner(ofNumber: number) else { return false }
        return try hasRow(
            "SELECT 1 FROM known_devices WHERE user_id = $1 AND key_hash = $2",
            [.id(owner), .blob(hash)])
    }
}

extension Transaction {
    public func insertCode(_ code: CodeRow, phoneNumber: PhoneNumber, addressHash: Data) throws {
        try execute(
            """
            INSERT INTO sign_in_codes (id, phone_number, address_hash, code_hash, created_at,
                expires_at, tries_left, requester_hash, network_hash, is_test)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .uuid(code.id), .text(phoneNumber.text), .blob(addressHash), .blob(code.hash),
                .date(now), .date(code.expiresAt),
                .int(code.triesLeft), code.requesterHash.map { .blob($0) } ?? .null,
                code.networkHash.map { .blob($0) } ?? .null, .bool(code.isTest),
            ]
        )
    }

    public func setTries(_ left: Int, of code: UUID) throws {
        try execute(
            "UPDATE sign_in_codes SET tries_left = $1 WHERE id = $2", [.int(left), .uuid(code)])
    }

    /// Signing in proves the number, so its other codes become void.
    public func useUpCodes(of number: PhoneNumber) throws {
        try execute(
            "UPDATE sign_in_codes SET tries_left = 0 WHERE phone_number = $1 AND tries_left > 0",
            [.text(number.text)])
    }

    /// Remembers that a device has signed in; the least recent ones beyond `limit` are forgotten.
    public func remember(device hash: Data, of user: UserID, limit: Int) throws {
        try execute(
            """
            INSERT INTO known_devices (user_id, key_hash, last_used_at) VALUES ($1, $2, $3)
            ON CONFLICT (user_id, key_hash) DO UPDATE SET last_used_at = excluded.last_used_at
            """,
            [.id(user), .blob(hash), .date(now)])
        try execute(
            """
            DELETE FROM known_devices WHERE user_id = $1 AND key_hash NOT IN (
                SELECT key_hash FROM known_devices WHERE user_id = $1
                ORDER BY last_used_at DESC, key_hash LIMIT $2)
            """,
            [.id(user), .int(limit)])
    }
}
