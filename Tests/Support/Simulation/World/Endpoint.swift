import Domain
import Foundation

/// A place where a person receives messages. `number` is 0 for the phone's SMS and -1 for its
/// calls; webhooks count from 1.
struct Endpoint: Hashable, Comparable, Sendable, CustomStringConvertible {
    var person: Int
    var number: Int

    static func sms(_ person: Int) -> Endpoint { Endpoint(person: person, number: 0) }

    static func call(_ person: Int) -> Endpoint { Endpoint(person: person, number: -1) }

    var isSMS: Bool { number == 0 }
    var isCall: Bool { number < 0 }

    var url: URL? { URL(string: "https://endpoint.example/\(person)/\(number)") }

    init(person: Int, number: Int) {
        self.person = person
        self.number = number
    }

    init?(url: URL) {
        let parts = url.pathComponents.compactMap(Int.init)
        guard parts.count == 2 else { return nil }
        self.init(person: parts[0], number: parts[1])
    }

    static func < (left: Endpoint, right: Endpoint) -> Bool {
        (left.person, left.number) < (right.person, right.number)
    }

    var description: String {
        isCall
            ? "\(Names.of(person))'s phone"
            : isSMS ? "\(Names.of(person))'s SMS" : "\(Names.of(person))'s webhook \(number)"
    }
}

enum Names {
    private static let all = [
        "Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "June", "Kai", "Lea",
        "Max", "Nia",
        "Otto", "Pia", "Quin", "Rosa", "Sam", "Tilda", "Uma", "Vito", "Wren", "Xenia", "Yuri",
        "Zoe",
    ]

    static func of(_ person: Int) -> String {
        person < all.count ? all[person] : "\(all[person % all.count])\(person / all.count)"
    }

    /// Returns the person that a text begins with, and the rest of the text.
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
}
