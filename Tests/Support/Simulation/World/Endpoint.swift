import Domain
import Foundation

public enum DeviceKind: Int, Sendable, Equatable, CaseIterable {
    case webhook, browser, iPhone, android
}

/// A place where a person receives messages. `number` is 0 for the phone's SMS, -1 for its calls
/// and -2 for e-mail. Webhooks count from 1. The numbers of browsers and apps begin at a multiple
/// of `kindSize`.
struct Endpoint: Hashable, Comparable, Sendable, CustomStringConvertible {
    var person: Int
    var number: Int

    static func sms(_ person: Int) -> Endpoint { Endpoint(person: person, number: 0) }

    static func call(_ person: Int) -> Endpoint { Endpoint(person: person, number: -1) }

    static func mail(_ person: Int) -> Endpoint { Endpoint(person: person, number: -2) }

    var isSMS: Bool { number == 0 }
    var isCall: Bool { number == -1 }
    var isMail: Bool { number == -2 }
    var isWebhook: Bool { number > 0 && !isApp }
    /// Whether this is a browser or an app, which confirms what it receives.
    var isApp: Bool { number >= Self.kindSize }

    private static let kindSize = 100_000

    var kind: DeviceKind { DeviceKind(rawValue: number / Self.kindSize) ?? .webhook }

    var url: URL? {
        switch kind {
        case .webhook: URL(string: "https://endpoint.example/\(person)/\(number)")
        case .browser: URL(string: "https://push.example/\(person)/\(number)")
        case .iPhone, .android: nil
        }
    }

    /// The token of an app; nil for other endpoints.
    func token() throws -> AppToken? {
        switch kind {
        case .webhook, .browser: nil
        case .iPhone:
            try AppToken(apns: Self.hex(person) + Self.hex(number), environment: .production)
        case .android: try AppToken(fcm: "lifesignal-phone-\(person)-\(number)")
        }
    }

    private static func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    init(person: Int, number: Int) {
        self.person = person
        self.number = number
    }

    init(person: Int, _ kind: DeviceKind, count: Int) {
        self.init(person: person, number: kind.rawValue * Self.kindSize + count)
    }

    init?(url: URL) {
        let last = url.lastPathComponent
        let parts =
            switch url.scheme {
            case "apns": [last.prefix(16), last.suffix(16)].compactMap { Int($0, radix: 16) }
            case "fcm": last.split(separator: "-").compactMap { Int($0) }
            default: url.pathComponents.compactMap { Int($0) }
            }
        guard parts.count == 2 else { return nil }
        self.init(person: parts[0], number: parts[1])
    }

    static func < (left: Endpoint, right: Endpoint) -> Bool {
        (left.person, left.number) < (right.person, right.number)
    }

    var description: String {
        let owner = "\(Names.of(person))'s"
        return isCall
            ? "\(owner) phone"
            : isSMS
                ? "\(owner) SMS"
                : isMail ? "\(owner) e-mail" : "\(owner) \(kind) \(number % Self.kindSize)"
    }
}

enum Names {
    private static let all = [
        "Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Łucja", "Hana", "Ivo", "June", "Kai", "Lea",
        "Мария", "Nia",
        "Otto", "Pia", "Quin", "Rosa", "Sam", "Tilda", "Uma", "Vito", "Wren", "Xenia", "Yuri",
        "Zoe",
    ]

    static func of(_ person: Int) -> String {
        person < all.count ? all[person] : "\(all[person % all.count])\(person / all.count)"
    }

    static func isName(_ word: some StringProtocol) -> Bool {
        all.contains { word.hasPrefix($0) && word.dropFirst($0.count).allSatisfy(\.isNumber) }
    }

    /// Returns the person at the start of a text, and the rest of the text.
    static func read(_ text: String, people: Int) -> (person: Int, rest: Substring)? {
        guard let end = text.firstIndex(of: " ") else { return nil }
        let name = text[..<end]
        return (0..<people).first { of($0) == name }.map { ($0, text[end...].dropFirst()) }
    }
}

/// How an endpoint or a provider misbehaves.
public enum Trouble: String, Sendable, Equatable, CaseIterable {
    /// Refuses connections.
    case down
    /// Accepts the message, but its response never arrives.
    case deaf
    /// Delays until the sender times out.
    case stalled
    /// Answers 404.
    case gone
    /// Accepts messages and confirms them, but delivers none.
    case dropping
    /// Reports on a message before responding.
    case hasty
    /// Refuses each message for good.
    case refusing
    /// Asks for a pause of a few minutes.
    case limited
    /// Takes each message after some seconds.
    case slow
}
