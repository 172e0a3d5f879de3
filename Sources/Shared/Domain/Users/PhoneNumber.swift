import Foundation

/// A phone number in strict E.164: `+`, a digit from 1 to 9, and 6 to 14 more digits (ITU-T E.164,
/// at most 15 digits).
public struct PhoneNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    public let text: String

    /// Throws `invalidArgument` for `field` if the text isn't strict E.164. Rejects spaces and
    /// hyphens: the screen that reads the number normalises it.
    public init(_ text: String, field: String = "phoneNumber") throws(CommandError) {
        guard Self.isE164(text) else { throw Self.notANumber(field) }
        self.text = text
    }

    static func notANumber(_ field: String) -> CommandError {
        .invalidArgument(field: field, "Start with +, then the country code, e.g. +1 555 0100.")
    }

    /// The prefix of a placeholder for a missing number, followed by 12 digits. No phone has such a
    /// number, because ITU-T has reserved the country code 999. This version rejects it as a phone
    /// number; earlier servers accept it, so they can read the row.
    public static let noNumber = "+999"

    static func isE164(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (8...16).contains(bytes.count), bytes[0] == UInt8(ascii: "+"),
            bytes[1] != UInt8(ascii: "0"), !text.hasPrefix(noNumber)
        else { return false }
        return bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    public var description: String { text }

    /// The link that starts a call, such as `tel:+4915112345678`.
    public var callURL: URL? { URL(string: "tel:\(text)") }

    /// Returns the link to a prepared text message. iOS reads the text after "&", Android after
    /// "?".
    public func textURL(_ body: String) -> URL? {
        let letters = CharacterSet.alphanumerics.intersection(
            CharacterSet(charactersIn: "\0"..."~"))
        return body.addingPercentEncoding(withAllowedCharacters: letters)
            .flatMap { URL(string: "sms:\(text)?&body=\($0)") }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let number = try? PhoneNumber(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be a phone number like +4915112345678")
        }
        self = number
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PhoneNumber {
    /// Parses a number as people type or paste it: with spaces, hyphens, dots, slashes or brackets,
    /// with `00` instead of the plus sign, and with `(0)` after the country code. Throws
    /// `invalidArgument` for `field` if the result isn't strict E.164.
    public init(typed text: String, field: String = "phoneNumber") throws(CommandError) {
        try self.init(Self.digits(typed: text, field: field), field: field)
    }

    /// Returns what to send to the server: `+` and digits, or the digits of a national number,
    /// whose country the server determines. Throws `invalidArgument` for `field` if the text
    /// contains anything else, or too few or too many digits for any number.
    public static func digits(
        typed text: String, field: String = "phoneNumber"
    ) throws(CommandError) -> String {
        guard text.utf8.count <= 4 * longestTyped else { throw notANumber(field) }
        var digits = ""
        for scalar in text.unicodeScalars where !isSeparator(scalar) {
            if let digit = scalar.properties.numericType == .decimal
                ? scalar.properties.numericValue : nil
            {
                // Accepts the digits of every script: a keyboard may produce `١` for `1`.
                digits += String(Int(digit))
            } else {
                digits.unicodeScalars.append(scalar == "\u{FF0B}" ? "+" : scalar)
            }
        }
        if digits.hasPrefix("00") { digits = "+" + digits.dropFirst(2) }
        let keepsZero = countriesWithZero.contains(where: digits.hasPrefix)
        digits = digits.replacing("(0)", with: keepsZero ? "0" : "")
        digits.unicodeScalars.removeAll { "()".unicodeScalars.contains($0) }
        // National numbers that can receive text messages have at least 5 digits.
        let count = digits.utf8.count - (digits.hasPrefix("+") ? 1 : 0)
        guard (5...20).contains(count),
            digits.drop(while: { $0 == "+" }).utf8.allSatisfy({ (48...57).contains($0) }),
            digits.count(where: { $0 == "+" }) <= 1
        else { throw notANumber(field) }
        return digits
    }

    /// The most characters, including spaces and brackets.
    public static let longestTyped = 64

    /// Numbers of Italy and San Marino keep their zero after the country code.
    private static let countriesWithZero = ["+39", "+378"]

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Numbers copied from a contact card contain format characters.
        case .spaceSeparator, .dashPunctuation, .format: true
        default: ".[]/\u{2212}\t\r\n".unicodeScalars.contains(scalar)
        }
    }
}
