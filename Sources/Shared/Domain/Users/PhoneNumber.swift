import Foundation

/// A phone number in strict E.164: `+`, a digit from 1 to 9, and 6 to 14 more digits.
public struct PhoneNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    public let text: String

    /// Throws `invalidArgument` for `field` if the text isn't strict E.164. Spaces and hyphens are
    /// errors here; `init(typed:)` accepts them.
    public init(_ text: String, field: String = "phoneNumber") throws(CommandError) {
        guard Self.isE164(text) else { throw Self.notANumber(field) }
        self.text = text
    }

    static func notANumber(_ field: String) -> CommandError {
        .invalidArgument(field: field, "Start with +, then the country code, e.g. +1 555 0100.")
    }

    /// The prefix of the placeholder for a missing number, before 12 digits. ITU-T reserves country
    /// code 999, so no phone has such a number. This version rejects it as a phone number. Earlier
    /// servers accept it, so they can read such a row.
    public static let noNumber = "+999"

    static func isE164(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (8...16).contains(bytes.count), bytes[0] == UInt8(ascii: "+"),
            bytes[1] != UInt8(ascii: "0"), !text.hasPrefix(noNumber)
        else { return false }
        return bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    public var description: String { text }

    public var callURL: URL? { URL(string: "tel:\(text)") }

    /// Returns a link that opens a prepared text message. iOS expects "&" before the body, Android
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
    /// Parses a number as people type or paste it: with separators, with `00` for the plus sign, or
    /// with `(0)`. Throws `invalidArgument` for `field` if the result isn't strict E.164.
    public init(typed text: String, field: String = "phoneNumber") throws(CommandError) {
        try self.init(Self.digits(typed: text, field: field), field: field)
    }

    /// Returns the number for the server: `+` and digits, or the digits of a national number. The
    /// server adds the country to a national number. Throws `invalidArgument` for `field` if the
    /// text can't be a phone number.
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
        // The shortest national numbers that can receive text messages have 5 digits.
        let count = digits.utf8.count - (digits.hasPrefix("+") ? 1 : 0)
        guard (5...20).contains(count),
            digits.drop(while: { $0 == "+" }).utf8.allSatisfy(\.isASCIIDigit),
            digits.count(where: { $0 == "+" }) <= 1
        else { throw notANumber(field) }
        return digits
    }

    /// The most characters, including separators.
    public static let longestTyped = 64

    /// The numbers of Italy and San Marino keep their zero after the country code.
    private static let countriesWithZero = ["+39", "+378"]

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Numbers copied from a contact card contain format characters.
        case .spaceSeparator, .dashPunctuation, .format: true
        default: ".[]/\u{2212}\t\r\n".unicodeScalars.contains(scalar)
        }
    }
}
