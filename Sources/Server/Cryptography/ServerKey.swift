import Foundation

/// A server's only secret; all its other secrets are derived from it. It is kept outside the
/// database, so that a stolen copy of the database is not enough to guess sign-in codes or to sign
/// webhooks.
public struct ServerKey: Sendable {
    public static let length = 32
    private let bytes: Data

    /// - Parameter bytes: at least 32 random bytes.
    public init?(bytes: Data) {
        guard bytes.count >= Self.length else { return nil }
        self.bytes = bytes
    }

    /// Returns the stored hash of a sign-in code. It is keyed, because a plain hash of six digits
    /// is easily guessed.
    public func hash(code: String, id: UUID) -> Data {
        derived("sign-in-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// Returns the hash that identifies a request's network address, for its rate limit.
    public func hash(address: String) -> Data { derived("address", Data(address.utf8)) }

    /// Returns the hash that identifies a device that has signed in. It is a hash of the key that
    /// the device made.
    public func hash(deviceKey: UUID) -> Data { derived("device", Data(deviceKey.uuidString.utf8)) }

    /// Returns the family for the refresh tokens that replace a token without a family. Such a
    /// token was issued before families existed.
    public func refreshTokenFamily(after hash: Data) -> Data {
        derived("refresh-token-family", hash).prefix(Token.familyLength)
    }

    /// Returns the new tokens of one renewal. The client may repeat the request, and gets the same
    /// tokens if it sends the same `attempt`. A thief who has the refresh token doesn't know
    /// `attempt`, and so gets different tokens.
    public func renewedTokens(after token: Token, attempt: UUID) -> (access: Token, refresh: Token)
    {
        let message = Data(token.text.utf8) + Data(attempt.uuidString.utf8)
        let end = derived("refresh-token", message).prefix(32 - Token.familyLength)
        return (
            Token(random: derived("access-token", message)), Token(random: token.family + end)
        )
    }

    /// A fingerprint that distinguishes two keys but doesn't reveal them.
    public var fingerprint: Int64 {
        derived("fingerprint", Data()).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the hash of a blocked person's number, which must not be readable in the database.
    public func hash(blockedNumber: String) -> Data {
        derived("blocked-number", Data(blockedNumber.utf8))
    }

    /// Returns the secret that signs webhooks to one endpoint. It is always the same, so it isn't
    /// stored.
    public func webhookSecret(user: UUID, endpoint: UUID) -> Data {
        derived("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    /// Returns the id under which the other responders of an alert see a responder. It is the same
    /// throughout the alert and has no other use.
    public func alias(of person: UUID, in alert: UUID) -> UUID {
        let bytes = derived(
            "alert-alias", Data(alert.uuidString.utf8) + Data(person.uuidString.utf8))
        var uuid = UUID(bytes.prefix(16)).uuid
        // The version and the variant of a random UUID (RFC 9562).
        uuid.6 = uuid.6 & 0x0F | 0x40
        uuid.8 = uuid.8 & 0x3F | 0x80
        return UUID(uuid: uuid)
    }

    func derived(_ purpose: String, _ message: Data) -> Data {
        Digest.hmacSHA256(Data(purpose.utf8) + [0] + message, key: bytes)
    }
}
