import Domain

/// The meaning of a message, read from its text as a person would.
enum Meaning: Equatable, Sendable {
    /// NAME needs help, for the first time or still.
    case begins(Int), goesOn(Int)
    /// The alert has lost its responder.
    case lapsed(Int)
    /// Asks the reader whether help is still needed.
    case question(Int)
    /// A responder has acknowledged.
    case news
    /// NAME is fine, or has ended the alert.
    case isOver(Int)
    /// NAME has stopped being a contact.
    case parted(Int)
    /// About the reader's own alert.
    case own
    /// Asks whether the reader is fine, after a restore and before the responders are told.
    case areYouOK
    case other

    /// The owner, if the message says that a person needs help.
    var alarm: Int? {
        switch self {
        case .begins(let owner), .goesOn(let owner), .lapsed(let owner), .question(let owner): owner
        default: nil
        }
    }

    /// Returns nil for an unknown text about an alert.
    static func read(_ item: NotificationItem, people: Int) -> Meaning? {
        if let meaning = fixed[item.title] { return meaning }
        if let (owner, rest) = Names.read(item.title, people: people) {
            switch rest {
            case "needs help", "missed a check-in", "may have missed a check-in":
                return .begins(owner)
            case "still needs help", "still hasn't checked in", "missed another check-in":
                return .goesOn(owner)
            case "may still need help": return .lapsed(owner)
            case "ended the alert", "checked in": return .isOver(owner)
            case "is on it", "is still on it", "is no longer on it", "has not confirmed":
                return .news
            case "is no longer your contact", "has left LifeSignal": return .parted(owner)
            default: break
            }
            if ["says ", "reports "].contains(where: rest.hasPrefix) { return .news }
        }
        // The pause after a report has ended.
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
        "Your alert may reach no one": .own,
        "No one has answered yet": .own, "Your alert is still on": .own,
        "Your responders can't come": .own, "Are you OK? Please check in": .areYouOK,
    ]

    private static func name(
        between start: String, _ end: String, _ title: String, _ people: Int
    ) -> Int? {
        guard title.hasPrefix(start), title.hasSuffix(end) else { return nil }
        let name = title.dropFirst(start.count).dropLast(end.count)
        return Names.read(name + " ", people: people)?.person
    }
}
