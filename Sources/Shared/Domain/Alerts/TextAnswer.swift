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

/// The reply to a `TextAnswer`. The texts use only characters of GSM 03.38 apart from names. Any
/// other character would halve the length of an SMS.
public enum TextReply: Equatable, Sendable {
    /// - Parameters:
    ///   - name: the name of the person who needs help.
    ///   - next: the name of the person whose alert the same answer is about next; nil if no other
    ///     alert awaits an answer.
    case isYours(name: String, next: String? = nil)
    /// - Parameter responder: the name of the responder who is on it.
    case isTaken(responder: String, name: String, next: String? = nil)
    case declined(name: String, AfterRefusal, next: String? = nil)
    /// The sender got no message about an alert or drill that is still open.
    case nothingOpen
    case drillConfirmed
    case checkedIn
    /// The person hasn't checked in, and can't check in by text message now.
    /// - Parameter isAllowed: true if they have allowed answers to a last call.
    case notCheckedIn(isAllowed: Bool)
    /// The person has repeated an answer that checked in earlier.
    case notCheckedInAgain
    /// The person hasn't checked in. The answer "1" checks in.
    case answerOneToCheckIn
    /// The person on a journey hasn't said that they are back, and can't by text message.
    case notBack
    /// The newest message to the sender is about their own manual alert, which only the app ends.
    case ownAlert
    /// The newest message to the sender is an invitation, which only its link answers.
    case openInvitation
    case started
    case help

    public var text: String {
        let words =
            switch self {
            case .isYours(let name, let next):
                "Thank you. You are on it, and \(name) is being told."
                    + Self.hint(next, after: name, "1 if you take it on")
            case .isTaken(let responder, let name, let next):
                "Thank you. \(responder) is helping \(name) already."
                    + Self.hint(next, after: name, "1 if you take it on")
            case .declined(let name, let after, let next):
                "You said that you can't help \(name)\(Self.words(after, name))"
                    + Self.hint(next, after: name, "2 if you can't")
            case .nothingOpen: "Thank you. Your answer is no longer needed."
            case .drillConfirmed: "Thank you. The drill has reached you."
            case .checkedIn: "Thank you. You have checked in."
            case .notCheckedIn(true): "You have NOT checked in. Open LifeSignal to check in."
            case .notCheckedInAgain:
                "This did NOT check you in again. Open LifeSignal to check in."
            case .notCheckedIn(false):
                "You have NOT checked in. Open LifeSignal to check in, or to allow this answer."
            case .answerOneToCheckIn: "You have NOT checked in. Answer 1 to check in."
            case .notBack: "You have NOT said that you are back. Open LifeSignal to say so."
            case .ownAlert:
                "Your alert is still on, and this answer reaches no one. "
                    + "Open LifeSignal to end it. If you need help, call."
            case .openInvitation: "To answer an invitation, open the link in it."
            case .started: "You get text messages again."
            case .help:
                "Answer an alert with 1 if you take it on, 2 if you can't. "
                    + "STOP ends the text messages."
            }
        return "LifeSignal: \(words)"
    }

    /// The answer that the reply may ask for about another alert.
    public var offered: TextAnswer? {
        switch self {
        case .isYours, .isTaken: .takesOn
        case .declined: .declines
        default: nil
        }
    }

    /// Returns the reply with a question about another person's alert.
    public func offering(_ next: String) -> TextReply {
        switch self {
        case .isYours(let name, _): .isYours(name: name, next: next)
        case .isTaken(let responder, let name, _):
            .isTaken(responder: responder, name: name, next: next)
        case .declined(let name, let after, _): .declined(name: name, after, next: next)
        default: self
        }
    }

    private static func words(_ after: AfterRefusal, _ name: String) -> String {
        switch after {
        case .isInHand: "."
        case .othersAreAsked: ". Others are being asked."
        case .othersHaveTheAlert: ". Others have the alert, too."
        case .noOneIsLeft: ", and no one else is left. \(name) is being told."
        }
    }

    /// Returns how to answer the other alert; empty if there is none.
    private static func hint(_ next: String?, after name: String, _ choice: String) -> String {
        guard let next else { return "" }
        let alert = next == name ? "other alert" : "alert"
        return " \(next)'s \(alert) is open, too: answer \(choice)."
    }
}

/// The length of a text message, as carriers count it.
public enum TextLength {
    /// The answer options may lengthen an alert message to at most this many SMS parts.
    public static let partsWithChoice = 2
    /// The characters of GSM 03.38 that take one place. The extended ones take two.
    private static let standard = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")
    private static let extended = Set("^{}\\[~]|€")

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

    public static func adding(_ choice: String, to text: String) -> String {
        let whole = "\(text) \(choice)"
        return parts(of: whole) <= max(partsWithChoice, parts(of: text)) ? whole : text
    }
}
