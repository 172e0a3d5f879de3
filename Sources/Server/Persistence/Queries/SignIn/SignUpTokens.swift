import Domain
import Foundation

extension SignUpToken {
    fileprivate static let columns =
        "id, note, phone_number, uses, used, created_at, expires_at, revoked_at"

    fileprivate init(_ row: SQLRow) throws {
        let number: String? = try row["phone_number"]
        self.init(
            id: try row["id"], note: try row["note"],
            phoneNumber: try number.map { try PhoneNumber($0) }, uses: try row["uses"],
            used: try row["used"], createdAt: try row["created_at"],
            expiresAt: try row["expires_at"], revokedAt: try row["revoked_at"])
    }
}

extension SQLConnection {
    /// Returns all tokens, the newest first.
    public func signUpTokens() throws -> [SignUpToken] {
        try query(
            "SELECT \(SignUpToken.columns) FROM sign_up_tokens ORDER BY created_at DESC, id", [],
            SignUpToken.init)
    }

    public func signUpToken(_ id: SignUpTokenID) throws -> SignUpToken? {
        try first(
            "SELECT \(SignUpToken.columns) FROM sign_up_tokens WHERE id = $1", [.id(id)],
            SignUpToken.init)
    }

    public func signUpToken(hash: Data) throws -> SignUpToken? {
        try first(
            "SELECT \(SignUpToken.columns) FROM sign_up_tokens WHERE hash = $1", [.blob(hash)],
            SignUpToken.init)
    }

    /// Returns the people whose codes admit a number that has unused sign-in codes.
    public func inviters(ofCodesTo number: PhoneNumber) throws -> [UserID] {
        try values(
            """
            SELECT DISTINCT inviter_id FROM sign_in_codes
            WHERE phone_number = $1 AND tries_left > 0 AND inviter_id IS NOT NULL
            """, [.text(number.text)])
    }

    /// Returns how many accounts a person's code opened since a time.
    public func invitedSignUps(by user: UserID, since time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM invited_sign_ups WHERE user_id = $1 AND created_at > $2",
            [.id(user), .date(time)])
    }

    /// Returns whether a person's number has a calling code.
    public func hasNumber(with code: CallingCode) throws -> Bool {
        // A comparison of digits uses the index in every collation.
        try code.prefixes.contains { range in
            try hasRow(
                """
                SELECT 1 FROM phone_numbers WHERE phone_number >= $1 AND phone_number < $2 LIMIT 1
                """,
                [.text("+\(range.lowerBound)"), .text("+\(range.upperBound)")])
        }
    }
}

extension Transaction {
    public func insert(_ token: SignUpToken, hash: Data) throws {
        try execute(
            """
            INSERT INTO sign_up_tokens (id, hash, note, phone_number, uses, used, created_at,
                expires_at, revoked_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(token.id), .blob(hash), .text(token.note),
                token.phoneNumber.map { .text($0.text) } ?? .null, .int(token.uses),
                .int(token.used), .date(token.createdAt), .date(token.expiresAt),
                .date(token.revokedAt),
            ])
    }

    /// Counts a use. Returns false if the token is used up, expired or revoked.
    public func useSignUpToken(_ id: SignUpTokenID) throws -> Bool {
        try execute(
            """
            UPDATE sign_up_tokens SET used = used + 1
            WHERE id = $1 AND used < uses AND revoked_at IS NULL AND expires_at > $2
            """, [.id(id), .date(now)]) > 0
    }

    /// Returns false if the token is gone, or was revoked before.
    public func revokeSignUpToken(_ id: SignUpTokenID) throws -> Bool {
        try execute(
            "UPDATE sign_up_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
            [.date(now), .id(id)]) > 0
    }

    /// Revokes the unused tokens that sign in these numbers. Others may get the numbers.
    public func revokeSignUpTokens(for numbers: [String]) throws {
        for number in numbers {
            try execute(
                """
                UPDATE sign_up_tokens SET revoked_at = $1
                WHERE phone_number = $2 AND used < uses AND revoked_at IS NULL
                """, [.date(now), .text(number)])
        }
    }

    /// Revokes the unused tokens that sign in a number.
    public func revokeSignUpTokensForNumbers() throws {
        try execute(
            """
            UPDATE sign_up_tokens SET revoked_at = $1
            WHERE phone_number IS NOT NULL AND used < uses AND revoked_at IS NULL
            """, [.date(now)])
    }

    /// Counts an account that a person's code opened. The row doesn't say which.
    public func insertInvitedSignUp(_ id: InvitationID, by user: UserID) throws {
        try execute(
            "INSERT INTO invited_sign_ups (user_id, id, created_at) VALUES ($1, $2, $3)",
            [.id(user), .id(id), .date(now)])
    }
}
