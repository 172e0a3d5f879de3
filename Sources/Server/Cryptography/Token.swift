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
    public var family: Data { Base64URL.decode(text).prefix(Self.familyLength) }

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

/// RFC 4648, section 5, without padding.
public enum Base64URL {
    public static func encode(_ bytes: Data) -> String {
        String(
            bytes.base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// Empty for text that is not valid.
    static func decode(_ text: String) -> Data {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(
            base64Encoded: standard + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
            ?? Data()
    }

    static func isValid(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
