import Foundation

/// The one secret of a server. It stays outside the database, so that a stolen copy of the database
/// is not enough to guess sign-in codes or to sign webhooks. Everything that needs a secret derives
/// its own from it.
public struct ServerKey: Sendable {
    public static let length = 32
    private let bytes: Data

    /// - Parameter bytes: at least 32 random bytes.
    public init?(bytes: Data) {
        guard bytes.count >= Self.length else { return nil }
        self.bytes = bytes
    }

    /// How a sign-in code is stored. Six digits have too few possibilities for a plain hash to hide
    /// them.
    public func hash(code: String, id: UUID) -> Data {
        derived("sign-in-code", Data(id.uuidString.utf8) + Data(code.utf8))
    }

    /// How the address of a request is remembered for its limit.
    public func hash(address: String) -> Data { derived("address", Data(address.utf8)) }

    /// How a device that has signed in is remembered by the key it made.
    public func hash(deviceKey: UUID) -> Data { derived("device", Data(deviceKey.uuidString.utf8)) }

    /// The family of the refresh tokens that come after one from before families.
    public func refreshTokenFamily(after hash: Data) -> Data {
        derived("refresh-token-family", hash).prefix(Token.familyLength)
    }

    /// The tokens of one renewal, which may reach the server twice. Only who made `attempt` gets
    /// them by the same refresh token: a thief of it has another one.
    public func renewedTokens(after token: Token, attempt: UUID) -> (access: Token, refresh: Token)
    {
        let message = Data(token.text.utf8) + Data(attempt.uuidString.utf8)
        let end = derived("refresh-token", message).prefix(32 - Token.familyLength)
        return (
            Token(random: derived("access-token", message)), Token(random: token.family + end)
        )
    }

    /// Tells two keys apart; the key can't be found from it.
    public var fingerprint: Int64 {
        derived("fingerprint", Data()).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// How the number of a blocked person is kept: it may not be readable from the database.
    public func hash(blockedNumber: String) -> Data {
        derived("blocked-number", Data(blockedNumber.utf8))
    }

    /// The secret that signs what is sent to one endpoint; never stored, always the same.
    public func webhookSecret(user: UUID, endpoint: UUID) -> Data {
        derived("webhook", Data(user.uuidString.utf8) + Data(endpoint.uuidString.utf8))
    }

    /// The id by which the responders of one alert know each other: the same throughout the alert,
    /// and good for nothing else.
    public func alias(of person: UUID, in alert: UUID) -> UUID {
        let bytes = derived(
            "alert-alias", Data(alert.uuidString.utf8) + Data(person.uuidString.utf8))
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes.prefix(16)) }
        // The version and the variant of a random UUID (RFC 9562).
        uuid.6 = uuid.6 & 0x0F | 0x40
        uuid.8 = uuid.8 & 0x3F | 0x80
        return UUID(uuid: uuid)
    }

    func derived(_ purpose: String, _ message: Data) -> Data {
        Digest.hmacSHA256(Data(purpose.utf8) + [0] + message, key: bytes)
    }
}
