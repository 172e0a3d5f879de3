import Foundation

/// A secret that is shown once and stored as its hash only.
public struct Token: Equatable, Sendable {
    /// URL-safe text of 43 characters (32 random bytes).
    public let text: String

    public init(random: Data) { text = Base64URL.encode(random) }

    public init?(_ text: String) {
        guard text.utf8.count == 43, Base64URL.isValid(text) else { return nil }
        self.text = text
    }

    /// The hash in the database. A fast hash is enough: there are 256 bits to guess.
    public var hash: Data { Digest.sha256(Data(text.utf8)) }

    /// The 16 bytes with which every refresh token of one session begins.
    public var family: Data {
        (Base64URL.decode(text) ?? Data()).prefix(Self.familyLength)
    }

    /// A token of a family that is neither the current nor the previous one is an earlier one.
    public var familyHash: Data { Digest.sha256(Data("refresh-token-family".utf8) + family) }

    static let familyLength = 16
}

extension RandomBytes {
    /// A refresh token: 16 bytes that stay the same in a session, and 16 new ones.
    /// - Parameter family: of the token before; nil begins another.
    public func refreshToken(family: Data? = nil) -> Token {
        Token(random: (family ?? self(Token.familyLength)) + self(32 - Token.familyLength))
    }
}
