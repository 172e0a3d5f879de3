import Foundation

/// Encodes and decodes base64url (RFC 4648, section 5).
public enum Base64URL {
    /// Encodes without padding.
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

    /// Decodes text with complete padding or without any. Returns nil for other text.
    public static func decode(_ text: String) -> Data? {
        let digits = text.prefix { $0 != "=" }
        let padding = text.dropFirst(digits.count)
        guard isValid(digits),
            padding.isEmpty
                || text.utf8.count % 4 == 0 && ["=", "=="].contains(padding)
        else { return nil }
        let missing = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        let standard = digits.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + missing)
    }

    static func isValid(_ text: some StringProtocol) -> Bool {
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
