import Foundation

/// Makes other people's texts harmless for a terminal. Replaces control characters, which form
/// escape sequences, and characters that change the writing direction.
public enum Plain {
    public static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }))
    }

    public static func text(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(String($0)) }.joined(separator: "\n")
    }

    /// Escapes the characters that can control a terminal. JSON itself permits some of them, such
    /// as U+009B.
    public static func json(_ json: String) -> String {
        guard !json.unicodeScalars.allSatisfy(isHarmless) else { return json }
        return json.unicodeScalars.reduce(into: "") { result, scalar in
            guard !isHarmless(scalar) else { return result.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    static func name(_ name: String) -> String { name.isEmpty ? "(no name yet)" : line(name) }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        // Some scripts and emoji need joiners. Other format characters can change the writing
        // direction.
        case .format:
            scalar == "\u{200D}" || scalar == "\u{200C}"
                || (0xE0020...0xE007F).contains(scalar.value)
        default: true
        }
    }
}
