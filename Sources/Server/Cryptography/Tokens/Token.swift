import Foundation

/// A secret that is shown once and stored only as its hash.
public struct Token: Equatable, Sendable {
    /// 43 characters of base64url (32 random bytes).
    public let text: String

    public init(random: Data) { text = Base64URL.encode(random) }

    public init?(_ text: String) {
        guard text.utf8.count == 43, Base64URL.isValid(text) else { return nil }
        self.text = text
    }

    /// The hash stored in the database. A fast hash suffices for 256 random bits.
    public var hash: Data { Digest.sha256(Data(text.utf8)) }

    /// The 16-byte prefix that all refresh tokens of a session share.
    public var family: Data {
        (Base64URL.decode(text) ?? Data()).prefix(Self.familyLength)
    }

    /// The hash of the family. It identifies the session of a used token that isn't stored.
    public var familyHash: Data { Digest.sha256(Data("refresh-token-family".utf8) + family) }

    static let familyLength = 16
}

extension RandomBytes {
    /// Returns a refresh token: the session's 16-byte family, and 16 new random bytes.
    /// - Parameter family: nil to start a new family.
    public func refreshToken(family: Data? = nil) -> Token {
        Token(random: (family ?? self(Token.familyLength)) + self(32 - Token.familyLength))
    }
}
