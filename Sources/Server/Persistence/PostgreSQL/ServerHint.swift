import Domain
import Foundation

/// A hint for the other servers about a commit. A lost hint delays their work by at most a second;
/// the event stream of an ended session may last 15 seconds longer. Deliveries need no hint: their
/// server sends them, and the others check for forgotten ones every second.
public struct ServerHint: Sendable, Equatable {
    /// People with new events.
    public var people: Set<UserID> = []
    /// Sessions that have ended. `renewedSessions` have new tokens.
    public var endedSessions: Set<SessionID> = []
    public var renewedSessions: Set<SessionID> = []
    public var nextDue: Date?

    public init() {}

    init(_ outbox: Outbox) {
        people = Set(outbox.events.map(\.userID))
        endedSessions = Set(outbox.endedSessions)
        renewedSessions = Set(outbox.renewedSessions)
        nextDue = outbox.nextDue
    }

    var isEmpty: Bool { self == ServerHint() }

    mutating func merge(_ other: ServerHint) {
        people.formUnion(other.people)
        endedSessions.formUnion(other.endedSessions)
        renewedSessions.formUnion(other.renewedSessions)
        nextDue = [nextDue, other.nextDue].compactMap(\.self).min()
    }

    // MARK: The payload of a NOTIFY

    /// The maximum number of ids in a payload. PostgreSQL accepts less than 8,000 bytes, and an id
    /// with its separator takes 24.
    private static let idsPerPayload = 300

    /// Returns the payloads. Each begins with the sender, so that a server can ignore its own.
    func payloads(from server: UUID) -> [String] {
        var words = people.map { "p" + ShortID.encode($0.uuid) }
        words += endedSessions.map { "e" + ShortID.encode($0.uuid) }
        words += renewedSessions.map { "r" + ShortID.encode($0.uuid) }
        if let nextDue { words.append("t\(nextDue.milliseconds)") }
        return stride(from: 0, to: words.count, by: Self.idsPerPayload).map { start in
            let part = words[start..<min(start + Self.idsPerPayload, words.count)]
            return ([ShortID.encode(server)] + part).joined(separator: " ")
        }
    }

    /// Returns nil for the server's own payload, and for one that can't be parsed. Skips unknown
    /// parts, which a newer server may send.
    init?(payload: String, unlessFrom server: UUID) {
        let words = payload.split(separator: " ")
        guard let sender = words.first.flatMap(ShortID.decode), sender != server else { return nil }
        for word in words.dropFirst() {
            let rest = word.dropFirst()
            switch word.first {
            case "p": if let id = ShortID.decode(rest) { people.insert(UserID(id)) }
            case "e": if let id = ShortID.decode(rest) { endedSessions.insert(SessionID(id)) }
            case "r": if let id = ShortID.decode(rest) { renewedSessions.insert(SessionID(id)) }
            case "t": nextDue = Int64(rest).map { Date(milliseconds: $0) }
            default: break
            }
        }
    }
}
