extension PhoneNumber {
    /// A number as people type or paste it: with spaces, hyphens, dots, slashes or brackets, with
    /// `00` in place of the plus sign, and with the `(0)` that some write behind the country code.
    /// Throws `invalidArgument` for `field` when no strict E.164 number comes of it.
    public init(typed text: String, field: String = "phoneNumber") throws(CommandError) {
        var digits = ""
        for scalar in text.replacing("(0)", with: "").unicodeScalars where !Self.isSeparator(scalar)
        {
            if let digit = scalar.properties.numericType == .decimal
                ? scalar.properties.numericValue : nil
            {
                // Every script's digits: a keyboard may give `١` for `1`.
                digits += String(Int(digit))
            } else {
                digits.unicodeScalars.append(scalar == "\u{FF0B}" ? "+" : scalar)
            }
        }
        if digits.hasPrefix("00") { digits = "+" + digits.dropFirst(2) }
        try self.init(digits, field: field)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters come along with a number that was copied from a contact card.
        case .spaceSeparator, .dashPunctuation, .format: true
        default: "().[]/\u{2212}\t\r\n".unicodeScalars.contains(scalar)
        }
    }
}
