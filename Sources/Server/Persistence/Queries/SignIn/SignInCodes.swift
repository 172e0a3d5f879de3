import Domain
import Foundation

public struct CodeRow: Sendable, Equatable {
    public var id: UUID
    public var hash: Data
    public var expiresAt: Date
    public var triesLeft: Int
    /// The hash of the requesting device if it has signed in to this number before, or if this is
    /// an attempt with a recovery code. Otherwise the hash of the network address.
    public var requesterHash: Data?
    /// The hash of the IPv6 /48 of the request.
    public var networkHash: Data?
    /// True if the code cost nothing: for a test number, or if a rate limit held it back.
    public var isFree: Bool
    /// The calling code for rate limits; nil for a number with an account, or if the code cost
    /// nothing.
    public var callingCode: CallingCode?
    /// The token that admits the number; nil if it needs none, or has another reason.
    public var tokenID: SignUpTokenID?
    /// The person whose code admits the number.
    public var inviterID: UserID?

    public init(
        id: UUID, hash: Data, expiresAt: Date, triesLeft: Int, requesterHash: Data? = nil,
        networkHash: Data? = nil,
        isFree: Bool = false
    ) {
        self.id = id
        self.hash = hash
        self.expiresAt = expiresAt
        self.triesLeft = triesLeft
        self.requesterHash = requesterHash
        self.networkHash = networkHash
        self.isFree = isFree
    }

    static let columns =
        "id, code_hash, expires_at, tries_left, requester_hash, network_hash, is_test, token_id, "
        + "inviter_id"

    init(_ row: SQLRow) throws {
        self.init(
            id: try row["id"], hash: try row["code_hash"], expiresAt: try row["expires_at"],
            triesLeft: try row["tries_left"], requesterHash: try row["requester_hash"],
            networkHash: try row["network_hash"], isFree: try row["is_test"])
        tokenID = try row["token_id"]
        inviterID = try row["inviter_id"]
    }
}

extension SQLConnection {
    /// Returns the times of codes to a number, with their requesters. A row created already
    /// expired counts an attempt. It isn't a code.
    public func codeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [(
        time: Date, requester: Data, address: Data, isAttempt: Bool
    )] {
        try query(
            """
            SELECT created_at, expires_at, address_hash,
                COALESCE(requester_hash, address_hash) AS requester
            FROM sign_in_codes WHERE phone_number = $1 AND created_at > $2
            """,
            [.text(phoneNumber.text), .date(since)]
        ) {
            let (time, end): (Date, Date) = (try $0["created_at"], try $0["expires_at"])
            return (
                time: time, requester: try $0["requester"], address: try $0["address_hash"],
                isAttempt: end <= time
            )
        }
    }

    /// Returns the times of codes to a number that were requested by unknown devices. Omits
    /// attempts: a stranger could make them unnoticed, because nothing is sent.
    public func strangersCodeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE phone_number = $1 AND created_at > $2 AND expires_at > created_at
                AND (requester_hash IS NULL OR requester_hash = address_hash)
            """, [.text(phoneNumber.text), .date(since)])
    }

    /// Returns the times of codes to a number that known or signed-in devices requested. Omits
    /// attempts, which send nothing.
    public func knownDevicesCodeTimes(phoneNumber: PhoneNumber, since: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE phone_number = $1 AND created_at > $2 AND expires_at > created_at
                AND requester_hash <> address_hash
            """, [.text(phoneNumber.text), .date(since)])
    }

    /// Returns the times of codes that an address requested without a token.
    public func codeTimes(addressHash: Data, since: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE address_hash = $1 AND created_at > $2 AND token_id IS NULL
            """,
            [.blob(addressHash), .date(since)])
    }

    public func codeTimes(networkHash: Data, since: Date) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE network_hash = $1 AND created_at > $2 AND token_id IS NULL
            """,
            [.blob(networkHash), .date(since)])
    }

    /// Returns how many codes a token has caused.
    public func codes(by token: SignUpTokenID, since: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM sign_in_codes WHERE token_id = $1 AND created_at > $2",
            [.id(token), .date(since)])
    }

    public func paidCodeTimes(since: Date, limit: Int) throws -> [Date] {
        try values(
            """
            SELECT created_at FROM sign_in_codes
            WHERE is_test = 0 AND created_at > $1 AND created_at < $2
            ORDER BY created_at DESC LIMIT $3
            """,
            [.date(since), .date(now.adding(SlidingWindow.skew)), .int(limit)])
    }

    /// Counts the codes sent to numbers without an account.
    public func codesToNewNumbers(like code: CallingCode) throws -> CodesToNewNumbers {
        let now = now
        func count(_ condition: String) -> String {
            "COALESCE(SUM(CASE WHEN \(condition) THEN 1 ELSE 0 END), 0)"
        }
        return try first(
            """
            SELECT \(count("token_id IS NULL")) AS in_day,
                \(count("token_id IS NULL AND created_at > $1")) AS in_hour,
                \(count("token_id IS NULL AND calling_code = $2")) AS country_in_day,
                \(count("token_id IS NULL AND calling_code = $2 AND created_at > $1"))
                    AS country_in_hour,
                \(count("created_at >= $3")) AS today,
                \(count("token_id IS NOT NULL AND created_at > $1")) AS by_tokens_in_hour
            FROM sign_in_codes WHERE calling_code IS NOT NULL AND created_at > $4
            """,
            [
                .date(now.adding(.zero - SignInRules.codeWindow)), .integer(code.value),
                .date(Budget.day(of: now)), .date(now.adding(.zero - SignInRules.codeMemory)),
            ]
        ) {
            CodesToNewNumbers(
                inHour: try $0["in_hour"], inDay: try $0["in_day"],
                countryInHour: try $0["country_in_hour"], countryInDay: try $0["country_in_day"],
                today: try $0["today"], byTokensInHour: try $0["by_tokens_in_hour"])
        } ?? CodesToNewNumbers()
    }

    public func code(_ id: CodeRequestID, for number: PhoneNumber) throws -> CodeRow? {
        try first(
            "SELECT \(CodeRow.columns) FROM sign_in_codes WHERE id = $1 AND phone_number = $2",
            [.id(id), .text(number.text)], CodeRow.init)
    }

    public func newestCode(for number: PhoneNumber) throws -> CodeRow? {
        try first(
            """
            SELECT \(CodeRow.columns) FROM sign_in_codes
            WHERE phone_number = $1 ORDER BY created_at DESC, id DESC LIMIT 1
            """,
            [.text(number.text)], CodeRow.init)
    }

    /// Returns the newest code of a number that this device or this network address requested.
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

    /// Returns true if a device has signed in to this number's account before.
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
                expires_at, tries_left, requester_hash, network_hash, is_test, calling_code,
                token_id, inviter_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .uuid(code.id), .text(phoneNumber.text), .blob(addressHash), .blob(code.hash),
                .date(now), .date(code.expiresAt),
                .int(code.triesLeft), code.requesterHash.map { .blob($0) } ?? .null,
                code.networkHash.map { .blob($0) } ?? .null, .bool(code.isFree),
                code.callingCode.map { .integer($0.value) } ?? .null, .id(code.tokenID),
                .id(code.inviterID),
            ]
        )
    }

    public func setTries(_ left: Int, of code: UUID) throws {
        try execute(
            "UPDATE sign_in_codes SET tries_left = $1 WHERE id = $2", [.int(left), .uuid(code)])
    }

    /// Invalidates all codes of a number, because one of them was used.
    public func useUpCodes(of number: PhoneNumber) throws {
        try execute(
            "UPDATE sign_in_codes SET tries_left = 0 WHERE phone_number = $1 AND tries_left > 0",
            [.text(number.text)])
    }

    public func forgetDevices(of user: UserID) throws {
        try execute("DELETE FROM known_devices WHERE user_id = $1", [.id(user)])
    }

    /// Forgets the device that began a session, unless it has signed in again since. Sign-in stores
    /// the session and the device's key with the same time.
    public func forgetDevice(of session: Caller) throws {
        let beginning: Date? = try value(
            "SELECT created_at FROM sessions WHERE user_id = $1 AND id = $2",
            [.id(session.userID), .id(session.sessionID)])
        guard let beginning else { return }
        try execute(
            "DELETE FROM known_devices WHERE user_id = $1 AND last_used_at = $2",
            [.id(session.userID), .date(beginning)])
    }

    /// Records that a device has signed in. Keeps the `limit` most recently used devices.
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
