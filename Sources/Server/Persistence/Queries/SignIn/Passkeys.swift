import Domain
import Foundation

public struct PasskeyRow: Equatable, Sendable {
    public var passkey: Passkey
    /// The id that the authenticator has given.
    public var credentialID: Data
    /// The COSE key.
    public var publicKey: Data
    /// The counter of the newest signature.
    public var counter: UInt32

    public init(passkey: Passkey, credentialID: Data, publicKey: Data, counter: UInt32) {
        self.passkey = passkey
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.counter = counter
    }

    fileprivate static let columns =
        "id, name, credential_id, public_key, counter, created_at, last_used_at"

    fileprivate init(_ row: SQLRow) throws {
        let counter: Int = try row["counter"]
        self.init(
            passkey: Passkey(
                id: try row["id"], name: try row["name"], createdAt: try row["created_at"],
                lastUsedAt: try row["last_used_at"]),
            credentialID: try row["credential_id"], publicKey: try row["public_key"],
            counter: UInt32(clamping: counter))
    }
}

extension SQLConnection {
    /// Returns a person's passkeys, the oldest first.
    public func passkeys(of user: UserID) throws -> [PasskeyRow] {
        try query(
            """
            SELECT \(PasskeyRow.columns) FROM passkeys WHERE user_id = $1 ORDER BY created_at, id
            """, [.id(user)], PasskeyRow.init)
    }

    public func passkey(_ credential: Data, of user: UserID) throws -> PasskeyRow? {
        try first(
            """
            SELECT \(PasskeyRow.columns) FROM passkeys WHERE user_id = $1 AND credential_id = $2
            """, [.id(user), .blob(credential)], PasskeyRow.init)
    }
}

extension Transaction {
    public func insert(_ row: PasskeyRow, of user: UserID) throws {
        try execute(
            """
            INSERT INTO passkeys (user_id, id, name, credential_id, public_key, counter,
                created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .id(user), .id(row.passkey.id), .text(row.passkey.name),
                .blob(row.credentialID), .blob(row.publicKey), .int(Int(row.counter)),
                .date(row.passkey.createdAt),
            ])
    }

    /// Notes a sign-in.
    public func usePasskey(_ id: PasskeyID, counter: UInt32, of user: UserID) throws {
        try execute(
            """
            UPDATE passkeys SET counter = $1, last_used_at = $2 WHERE user_id = $3 AND id = $4
            """, [.int(Int(counter)), .date(now), .id(user), .id(id)])
    }

    /// Returns false if there is no such passkey.
    public func renamePasskey(_ id: PasskeyID, to name: String, of user: UserID) throws -> Bool {
        try execute(
            "UPDATE passkeys SET name = $1 WHERE user_id = $2 AND id = $3",
            [.text(name), .id(user), .id(id)]) > 0
    }

    /// Returns false if there is no such passkey.
    public func deletePasskey(_ id: PasskeyID, of user: UserID) throws -> Bool {
        try execute(
            "DELETE FROM passkeys WHERE user_id = $1 AND id = $2", [.id(user), .id(id)]) > 0
    }

    /// Returns false if the challenge was used before.
    public func usePasskeyChallenge(hash: Data, expiresAt: Date) throws -> Bool {
        try execute(
            """
            INSERT INTO passkey_challenges (hash, expires_at) VALUES ($1, $2)
            ON CONFLICT (hash) DO NOTHING
            """, [.blob(hash), .date(expiresAt)]) > 0
    }
}
