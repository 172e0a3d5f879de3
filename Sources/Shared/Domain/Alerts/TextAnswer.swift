import Foundation

/// A person's answer to a text message.
public enum TextAnswer: Equatable, Sendable {
    /// "I'm on it."
    case takesOn
    /// "I can't."
    case declines
    /// "I'm OK", which answers only a last call.
    case isFine
    case stops
    case starts
    case unclear

    /// Twilio and carriers define the words for STOP and START.
    private static let words: [String: TextAnswer] = [
        "1": .takesOn, "YES": .takesOn, "2": .declines, "NO": .declines,
        "STOP": .stops, "STOPALL": .stops, "UNSUBSCRIBE": .stops, "CANCEL": .stops, "END": .stops,
        "QUIT": .stops, "REVOKE": .stops, "OPTOUT": .stops, "OPT OUT": .stops, "START": .starts,
        "UNSTOP": .starts, "OK": .isFine, "OKAY": .isFine, "FINE": .isFine,
    ]

    /// Phrases that count as an answer if they are the whole message. "I can't" is a refusal, but
    /// "I can't find it" isn't.
    private static let phrases: [String: TextAnswer] = [
        "IM ON IT": .takesOn, "I AM ON IT": .takesOn, "ON IT": .takesOn, "YES I CAN": .takesOn,
        "YES IM ON IT": .takesOn, "YES I AM ON IT": .takesOn, "I CANT": .declines,
        "I CANNOT": .declines, "NO I CANT": .declines, "NO I CANNOT": .declines,
        "IM OK": .isFine, "I AM OK": .isFine, "IM FINE": .isFine, "I AM FINE": .isFine,
    ]

    /// Parses a whole message, or its first line if a signature follows.
    public init(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map(Self.plain).filter { !$0.isEmpty }
        if let whole = Self.meaning(of: lines.joined(separator: " ")) {
            self = whole
            return
        }
        // Two answers in one message count only if they agree.
        let others = lines.dropFirst().flatMap { line in
            [line] + line.split(separator: " ").map(String.init)
        }
        .compactMap(Self.meaning)
        if let first = lines.first.flatMap(Self.meaning), others.allSatisfy({ $0 == first }) {
            self = first
        } else {
            self = .unclear
        }
    }

    private static func meaning(of line: String) -> TextAnswer? {
        words[line] ?? phrases[line]
    }

    /// Returns the letters and digits in capitals, with single spaces between words. Converts
    /// digits of other scripts, and drops invisible characters, emoji and punctuation.
    private static func plain(_ line: Substring) -> String {
        var plain = ""
        // This mapping also converts full-width, circled and superscript characters.
        for scalar in line.precomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.properties.numericType == .decimal,
                let digit = scalar.properties.numericValue
            {
                plain += String(Int(digit))
            } else if scalar.properties.isAlphabetic {
                plain += scalar.properties.uppercaseMapping
            } else if isSeparator(scalar), !plain.hasSuffix(" "), !plain.isEmpty {
                plain += " "
            }
        }
        return plain.trimmingCharacters(in: .whitespaces)
    }

    /// Returns true for characters that separate words. "1/2" must not become "12", but "I'm" and
    /// "1." stay one word.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .control, .dashPunctuation: true
        default: "/,;:.+&".unicodeScalars.contains(scalar)
        }
    }
}
