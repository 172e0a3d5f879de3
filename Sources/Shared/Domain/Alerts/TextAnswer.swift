import Foundation

/// A person's answer to a text message.
public enum TextAnswer: Equatable, Sendable {
    /// "I'm on it."
    case takesOn
    /// "I can't."
    case declines
    /// No more text messages.
    case stops
    /// Text messages again.
    case starts
    case unclear

    /// Those for STOP and START are the words that Twilio and carriers know.
    private static let words: [String: TextAnswer] = [
        "1": .takesOn, "YES": .takesOn, "2": .declines, "NO": .declines,
        "STOP": .stops, "STOPALL": .stops, "UNSUBSCRIBE": .stops, "CANCEL": .stops, "END": .stops,
        "QUIT": .stops, "START": .starts, "UNSTOP": .starts,
    ]

    public init(_ text: String) {
        let ignored = CharacterSet.whitespacesAndNewlines.union(.punctuationCharacters)
        self = Self.words[text.trimmingCharacters(in: ignored).uppercased()] ?? .unclear
    }
}

/// The text message that answers a `TextAnswer`. Its signs are those of GSM 03.38 but for names:
/// another one would halve the length of a message.
public enum TextReply: Equatable, Sendable {
    /// - Parameter name: of the person who needs help.
    case isYours(name: String)
    /// - Parameter responder: the name of the one who is on it.
    case isTaken(responder: String)
    case declined
    /// There is no open alert, and no drill, that they were written to about.
    case nothingOpen
    /// "Got it", to a drill.
    case drillConfirmed
    case started
    case help

    public var text: String {
        let words =
            switch self {
            case .isYours(let name): "Thank you. You are on it, and \(name) is told."
            case .isTaken(let responder): "Thank you. \(responder) is on it already."
            case .declined: "You have said that you can't. The others are asked."
            case .nothingOpen: "Thank you. Nobody waits for your answer any more."
            case .drillConfirmed: "Thank you. The test has reached you."
            case .started: "You get text messages again."
            case .help:
                "Answer an alert by 1 if you take it on, by 2 if you can't. "
                    + "STOP ends the text messages."
            }
        return "LifeSignal: \(words)"
    }
}

/// How long a text message is for those who carry it.
public enum TextLength {
    /// An alert with the words about how to answer has no more parts.
    public static let partsWithChoice = 2
    /// The signs of GSM 03.38 that take one place. Those of its extension take two.
    private static let standard = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà")
    private static let extended = Set("^{}\\[~]|€")

    /// The number of messages of which it consists.
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

    /// The text with the quotation marks and apostrophes of GSM 03.38: others would more than
    /// double the number of messages.
    public static func withPlainQuotes(_ text: String) -> String {
        text.replacing(/[“”]/, with: "\"").replacing(/[‘’]/, with: "'")
    }

    /// The text with the words about how to answer, unless they make it too long.
    public static func adding(_ choice: String, to text: String) -> String {
        let whole = "\(text) \(choice)"
        return parts(of: whole) <= max(partsWithChoice, parts(of: text)) ? whole : text
    }
}
