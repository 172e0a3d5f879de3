/// The length of a text message, as carriers count it.
public enum TextLength {
    /// The answer options may lengthen a drill or a question to at most this many SMS parts.
    public static let partsWithChoice = 2
    /// The characters of GSM 03.38 that take one place. The extended ones take two.
    private static let standard = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")
    private static let extended = Set("^{}\\[~]|€")

    /// Returns how many SMS parts the text needs. Each part is paid for.
    public static func parts(of text: String) -> Int {
        var places = 0
        for sign in text {
            if standard.contains(sign) {
                places += 1
            } else if extended.contains(sign) {
                places += 2
            } else {
                let units = text.utf16.count
                return units <= 70 ? 1 : (units + 66) / 67
            }
        }
        return places <= 160 ? 1 : (places + 152) / 153
    }

    /// Returns the text with quotation marks and apostrophes of GSM 03.38. Typographic ones would
    /// more than double the number of parts.
    public static func withPlainQuotes(_ text: String) -> String {
        text.replacing(/[“”]/, with: "\"").replacing(/[‘’]/, with: "'")
    }

    /// The most parts of a message; longer names are cut. Twilio accepts at most 1,600 characters.
    public static let mostParts = 6

    /// Returns the text. If it needs more parts, returns the longest beginning that fits with
    /// "..." after it.
    public static func cut(_ text: String, toParts parts: Int) -> String {
        guard self.parts(of: text) > parts else { return text }
        var (low, high) = (0, text.count)
        // A binary search works, because a longer prefix never has fewer parts.
        while low < high {
            let middle = (low + high + 1) / 2
            if self.parts(of: String(text.prefix(middle)) + "...") <= parts {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return String(text.prefix(low)) + "..."
    }

    /// Returns the text followed by the answer options. Omits them if they would lengthen the text
    /// beyond this many parts.
    public static func adding(
        _ choice: String, to text: String, upTo most: Int = partsWithChoice
    ) -> String {
        let whole = "\(text) \(choice)"
        return parts(of: whole) <= max(most, parts(of: text)) ? whole : text
    }
}
