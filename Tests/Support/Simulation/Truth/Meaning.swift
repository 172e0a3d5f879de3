import Domain

/// The meaning of a message, read from its text as a person would.
enum Meaning: Equatable, Sendable {
    /// NAME needs help, for the first time or still.
    case begins(Int), goesOn(Int)
    /// NAME has missed another deadline, which doesn't say who is on the alert.
    case missedAgain(Int)
    /// The alert has lost its responder.
    case lapsed(Int)
    /// Asks the reader whether help is still needed.
    case question(Int)
    /// A responder is on it.
    case takenOn(Int)
    /// A responder has reported that help is there.
    case reported(Int)
    /// For the person in need: no responder is on it.
    case untaken
    /// A reminder to check in.
    case reminder
    /// NAME is fine, or has ended the alert.
    case isOver(Int)
    /// NAME has stopped being a contact.
    case parted(Int)
    /// About the reader's own alert.
    case own
    /// Asks whether the reader is fine, after a restore and before the responders are told.
    case areYouOK
    /// What a responder is told of a schedule.
    case schedule(ScheduleNews, of: Int)
    case lastCall, lastCallByPhone
    /// Reminds a person of the return from a journey; the last one at the return.
    case returnReminder(isLast: Bool)
    case other

    /// The owner, if the message says that a person needs help.
    var alarm: Int? {
        switch self {
        case .begins(let owner), .goesOn(let owner), .missedAgain(let owner), .lapsed(let owner),
            .question(let owner):
            owner
        default: nil
        }
    }

    /// What the message says about an open alert; nil if it says nothing.
    var claim: Claim? {
        switch self {
        case .begins, .goesOn, .lapsed, .untaken: .nobodyIsOnIt
        case .takenOn(let person): .isOnIt(person)
        case .reported(let person): .reported(person)
        default: nil
        }
    }

    /// Returns nil for an unknown text about an alert.
    static func read(_ item: NotificationItem, people: Int, reader: Int) -> Meaning? {
        if let meaning = fixed[item.title] { return meaning }
        if let (owner, rest) = Names.read(item.title, people: people) {
            switch rest {
            case "needs help", "missed a check-in", "may have missed a check-in":
                return .begins(owner)
            case "still needs help", "still hasn't checked in": return .goesOn(owner)
            case "missed another check-in": return .missedAgain(owner)
            case "is not back from the lake", "may not be back from the lake":
                return .begins(owner)
            case "is still not back": return .goesOn(owner)
            case "is on the way: the lake": return .schedule(.journeyStarted, of: owner)
            case "comes back later: the lake":
                // An alert stays open if the new return has passed, too.
                return item.type == .alert ? .isOver(owner) : .schedule(.journeyLater, of: owner)
            case "has arrived: the lake":
                return item.alertID == nil ? .schedule(.journeyEnded, of: owner) : .isOver(owner)
            case "may still need help": return .lapsed(owner)
            case "ended the alert", "checked in": return .isOver(owner)
            case "is on it", "is still on it": return .takenOn(owner)
            case "is no longer on it", "has not confirmed": return .untaken
            case "is no longer your contact", "has left LifeSignal", "is no longer on LifeSignal":
                return .parted(owner)
            case "has no deadlines any more", "checks in less often", "may check in later":
                return .schedule(.longerSilence, of: owner)
            case "has paused check-ins": return .schedule(.pauseBegan, of: owner)
            case "has changed their pause": return .schedule(.pauseChanged, of: owner)
            default: break
            }
            if ["says ", "reports "].contains(where: rest.hasPrefix) { return .reported(owner) }
        }
        if let owner = name(between: "", "'s pause has ended", item.title, people) {
            return .schedule(.pauseEnded, of: owner)
        }
        // The pause after a report has ended.
        if let owner = name(between: "", "’s alert is still on", item.title, people) {
            return .lapsed(owner)
        }
        if let owner = name(between: "Are you still helping ", "?", item.title, people) {
            return .question(owner)
        }
        if name(between: "You are still helping ", "", item.title, people) != nil {
            return .takenOn(reader)
        }
        return item.alertID == nil ? .other : nil
    }

    private static let fixed: [String: Meaning] = [
        "You missed your check-in": .own, "No one was told": .own,
        "Your alert may reach no one": .own,
        "No one is on it yet": .untaken, "Your alert is still on": .untaken,
        "Your responders can't come": .untaken, "Are you OK? Please check in": .areYouOK,
        "Check in soon": .reminder, "Check in now": .reminder, "Last call: check in now": .lastCall,
        "LifeSignal calls you": .lastCallByPhone,
        "Back from the lake soon?": .returnReminder(isLast: false),
        "Are you back from the lake?": .returnReminder(isLast: true),
        "You are not back from the lake": .own, "No responder you chose is on it": .untaken,
    ]

    private static func name(
        between start: String, _ end: String, _ title: String, _ people: Int
    ) -> Int? {
        guard title.hasPrefix(start), title.hasSuffix(end) else { return nil }
        let name = title.dropFirst(start.count).dropLast(end.count)
        return Names.read(name + " ", people: people)?.person
    }
}

/// What a message says about who helps.
enum Claim: Equatable, Sendable, CustomStringConvertible {
    case nobodyIsOnIt
    case isOnIt(Int)
    case reported(Int)

    var description: String {
        switch self {
        case .nobodyIsOnIt: "nobody is on it"
        case .isOnIt(let person): "\(Names.of(person)) is on it"
        case .reported(let person): "\(Names.of(person)) has reported"
        }
    }
}
