/// The reply to a `TextAnswer`. The texts use only characters of GSM 03.38 apart from names. Any
/// other character would halve the length of an SMS.
public enum TextReply: Equatable, Sendable {
    /// - Parameters:
    ///   - name: the name of the person who needs help.
    ///   - next: the name of the person whose alert the next answer is about; nil if no other
    ///     alert awaits an answer.
    case isYours(name: String, next: String? = nil)
    /// - Parameter responder: the name of the responder who is on it.
    case isTaken(responder: String, name: String, next: String? = nil)
    case declined(name: String, AfterRefusal, next: String? = nil)
    /// The sender has changed their answer too often (`ActRules`), so this refusal doesn't count.
    case notCounted
    /// The sender got no message about an alert or drill that is still open.
    case nothingOpen
    /// The answer was about no open alert, but another one is open.
    /// - Parameters:
    ///   - hasEnded: true if the alert that the last reply named has ended.
    ///   - next: the name of the person whose alert the next answer is about; nil if that alert
    ///     has ended, too.
    case changedNothing(hasEnded: Bool, next: String? = nil)
    case drillConfirmed
    /// The sender refused a drill, which only a "1" answers.
    case drillRefused
    case checkedIn
    /// The person has checked in, which doesn't end their open alert.
    case checkedInDuringAlert
    /// The check-in came before a window, and moved no deadline.
    /// - Parameters:
    ///   - words: when the window opens (`SourceRules.answer`).
    ///   - isAlertOn: true if an alert of the person is still open.
    case recorded(_ words: String, isAlertOn: Bool)
    /// The person hasn't checked in, and can't check in by text message now.
    /// - Parameters:
    ///   - isAllowed: true if they have allowed answers to a last call.
    ///   - answer: the answer, if it can be about an alert.
    ///   - next: the name of the person whose alert the same answer is about next.
    case notCheckedIn(isAllowed: Bool, answer: TextAnswer? = nil, next: String? = nil)
    /// The person has repeated an answer that checked in earlier.
    case notCheckedInAgain
    /// The person hasn't checked in. The answer "1" checks in.
    case answerOneToCheckIn
    /// The person on a journey hasn't said that they are back, and can't by text message.
    case notBack
    /// The newest message to the sender is about their own manual alert, which only the app ends.
    case ownAlert
    /// The newest message to the sender is an invitation, which only its link answers.
    /// - Parameters:
    ///   - answer: the answer, if it can be about an alert.
    ///   - next: the name of the person whose alert the same answer is about next.
    case openInvitation(answer: TextAnswer? = nil, next: String? = nil)
    case started
    /// Text messages reach the sender again, and alerts that they knew have ended since the STOP.
    /// - Parameters:
    ///   - ended: the names of people without another open alert.
    ///   - stillOn: the names of people with another open alert.
    case startedAfter(ended: [String], stillOn: [String])
    case help

    public var text: String {
        let words =
            switch self {
            case .isYours(let name, let next):
                "Thank you. You are on it, and \(name) is being told."
                    + Self.hint(next, after: name)
            case .isTaken(let responder, let name, let next):
                "Thank you. \(responder) is helping \(name) already"
                    + (next == nil ? ", so no one is told that you are, too." : ".")
                    + Self.hint(next, after: name)
            case .declined(let name, let after, let next):
                "You said that you can't help \(name)\(Self.words(after))"
                    + Self.hint(next, after: name)
            case .notCounted: AlertWords.answerIgnored
            case .nothingOpen:
                "There is no open question to you. If you know that someone is in danger, "
                    + "call them."
            case .changedNothing(let hasEnded, let next):
                (hasEnded ? "The alert that the last message named has ended, so your" : "Your")
                    + " answer changed nothing." + Self.hint(next)
            case .drillConfirmed: "Thank you. The drill has reached you."
            case .drillRefused: "A drill needs no refusal. Answer 1 if you got it."
            case .checkedIn: "Thank you. You have checked in."
            case .checkedInDuringAlert:
                "Thank you. You have checked in. "
                    + "Your alert is still on: open LifeSignal to end it."
            case .recorded(let words, let isAlertOn):
                "\(words) Check in again then."
                    + (isAlertOn ? " Your alert is still on: open LifeSignal to end it." : "")
            case .notCheckedInAgain:
                "This did NOT check you in again. Open LifeSignal to check in."
            case .notCheckedIn(let isAllowed, let answer, let next):
                "You have NOT checked in. Open LifeSignal to check in"
                    + (isAllowed || next != nil ? "." : ", or to allow this answer.")
                    + Self.question(about: next, answer)
            case .answerOneToCheckIn: "You have NOT checked in. Answer 1 to check in."
            case .notBack: "You have NOT said that you are back. Open LifeSignal to say so."
            case .ownAlert:
                "Your alert is still on, and this answer reaches no one. "
                    + "Open LifeSignal to end it. If you need help, call."
            case .openInvitation(let answer, let next):
                "To answer an invitation, open the link in it."
                    + Self.question(about: next, answer)
            case .started: Self.startedWords
            case .startedAfter(let ended, let stillOn):
                ([Self.startedWords] + ended.map { "\($0)'s alert has ended." }
                    + stillOn.map { "One alert of \($0) has ended, another is still on." })
                    .joined(separator: " ")
            case .help:
                "Answer an alert with 1 if you take it on, 2 if you can't. "
                    + "STOP ends the text messages."
            }
        return "LifeSignal: \(words)"
    }

    /// The reply about an alert, for a person who also has an unanswered drill.
    public var textNotAboutDrill: String { "\(text) Your answer was not about the drill." }

    public var isChangedNothing: Bool { if case .changedNothing = self { true } else { false } }

    /// True if the reply asks for the same answer about the alert that it names. The other replies
    /// ask for either answer.
    public var asksForSameAnswer: Bool {
        switch self {
        case .notCheckedIn, .openInvitation: true
        default: false
        }
    }

    /// True for the replies to a START.
    public var isStart: Bool {
        switch self {
        case .started, .startedAfter: true
        default: false
        }
    }

    /// What the reply counts as in a budget, unless it offers an alert.
    public var budgetUse: BudgetUse {
        switch self {
        case .help: .everyday
        case .startedAfter: .alertEnd
        default: .alertNews
        }
    }

    private static let startedWords = "You get text messages again."

    /// The answer that the reply is about, if it may name another alert.
    public var offered: TextAnswer? {
        switch self {
        case .isYours, .isTaken, .changedNothing: .takesOn
        case .declined: .declines
        case .notCheckedIn(_, let answer, _), .openInvitation(let answer, _): answer
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
        case .changedNothing(let hasEnded, _): .changedNothing(hasEnded: hasEnded, next: next)
        case .notCheckedIn(let isAllowed, let answer, _):
            .notCheckedIn(isAllowed: isAllowed, answer: answer, next: next)
        case .openInvitation(let answer, _): .openInvitation(answer: answer, next: next)
        default: self
        }
    }

    private static func words(_ after: AfterRefusal) -> String {
        switch after {
        case .isInHand: "."
        case .othersAreAsked: ". Others are being asked."
        case .othersHaveTheAlert: ". Others have the alert, too."
        case .noOneIsLeft: ", and no one else is left."
        }
    }

    /// Returns the question whether the answer was about an alert; empty without one.
    private static func question(about next: String?, _ answer: TextAnswer?) -> String {
        let number = answer == .declines ? 2 : 1
        return next.map { " Did you mean \($0)'s alert? Then answer \(number) again." } ?? ""
    }

    /// Returns how to answer the other alert; empty if there is none.
    /// - Parameter name: the name of the person whose alert the answer was about, if about one.
    private static func hint(_ next: String?, after name: String? = nil) -> String {
        guard let next else { return "" }
        let alert = next == name ? "other alert" : "alert"
        return " \(next)'s \(alert) is open\(name == nil ? "" : ", too"): 1 = on it, 2 = can't."
    }
}
