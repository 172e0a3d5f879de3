import Domain

/// The meaning of a message, read from its words as a person reads it.
enum Meaning: Equatable, Sendable {
    /// NAME needs help, for the first time or again.
    case begins(Int), goesOn(Int)
    /// Nobody is on it any more.
    case lapsed(Int)
    /// The reader is asked whether it goes on.
    case question(Int)
    /// Somebody took it on.
    case news
    /// NAME is fine, or has ended the alert.
    case isOver(Int)
    /// NAME is no contact any more.
    case parted(Int)
    /// About the reader's own alert.
    case own
    /// After a restore, before the responders are told.
    case areYouOK
    case other

    /// Sounds like "somebody needs help".
    var alarm: Int? {
        switch self {
        case .begins(let owner), .goesOn(let owner), .lapsed(let owner), .question(let owner): owner
        default: nil
        }
    }

    /// Nil for an alert's message whose words are not understood.
    static func read(_ item: NotificationItem, people: Int) -> Meaning? {
        if let meaning = fixed[item.title] { return meaning }
        if let (owner, rest) = Names.read(item.title, people: people) {
            switch rest {
            case "needs help", "missed a check-in", "may have missed a check-in":
                return .begins(owner)
            case "still needs help", "is still non-responsive", "missed another check-in":
                return .goesOn(owner)
            case "may still need help": return .lapsed(owner)
            case "ended the alert", "checked in": return .isOver(owner)
            case "is on it", "is still on it", "is no longer on it", "has not confirmed",
                "called emergency services":
                return .news
            case "is no longer your contact", "has left LifeSignal": return .parted(owner)
            default: break
            }
            if ["is with ", "found ", "says "].contains(where: rest.hasPrefix) { return .news }
        }
        // The pause after a report is over.
        if let owner = name(between: "", "’s alert is still on", item.title, people) {
            return .lapsed(owner)
        }
        if let owner = name(between: "Does ", " still need help?", item.title, people) {
            return .question(owner)
        }
        return item.alertID == nil ? .other : nil
    }

    private static let fixed: [String: Meaning] = [
        "You missed your check-in": .own, "No one was told": .own,
        "No one has answered yet": .own, "Your alert is still on": .own,
        "Are you OK? Please check in": .areYouOK,
    ]

    private static func name(
        between start: String, _ end: String, _ title: String, _ people: Int
    ) -> Int? {
        guard title.hasPrefix(start), title.hasSuffix(end) else { return nil }
        let name = title.dropFirst(start.count).dropLast(end.count)
        return Names.read(name + " ", people: people)?.person
    }
}
