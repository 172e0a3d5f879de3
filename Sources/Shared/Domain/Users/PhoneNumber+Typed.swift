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
