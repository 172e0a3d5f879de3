import Foundation

/// How long, and how often, an open alert is told (product.md, "Escalation").
public struct Escalation: Equatable, Sendable {
    /// How long an acknowledgement keeps the repeats quiet.
    public static let quietAfterAcknowledgement: Duration = .minutes(30)
    /// How long the acknowledging responder has to say that it goes on before everyone is told again.
    public static let patienceAfterQuestion: Duration = .minutes(5)
    /// After the start: at once, after 5, 15 and 30 minutes, then hourly for 24 hours.
    public static let tellings: [Duration] =
        [.zero, .minutes(5), .minutes(15), .minutes(30)] + (1...24).map { .minutes(30) + .hours($0) }
    /// A telling that comes more than this after its time says that it is late.
    public static let lateness: Duration = .minutes(1)

    public var startTime: Date
    /// How many of `tellings` are behind us, those that were skipped while nobody could tell included.
    public var told: Int
    public var attention: Attention

    public enum Attention: Equatable, Sendable {
        case none
        case acknowledged(at: Date)
        /// The responder who took it on was asked whether it goes on.
        case asked(at: Date)
    }

    public init(startTime: Date, told: Int, attention: Attention) {
        self.startTime = startTime
        self.told = told
        self.attention = attention
    }

    public enum DueAction: Equatable, Sendable {
        /// Tell every responder; `told` counts what is behind us afterwards.
        case tellAgain(told: Int)
        /// Ask the responder who took it on whether it goes on.
        case askResponder
        /// The question was not answered: the acknowledgement lapses and every responder is told.
        case lapse(told: Int)
    }

    public func dueAction(at now: Date) -> DueAction? {
        switch attention {
        case .acknowledged(let time):
            return time.adding(Self.quietAfterAcknowledgement) <= now ? .askResponder : nil
        case .asked(let time):
            return time.adding(Self.patienceAfterQuestion) <= now ? .lapse(told: max(told, passed(by: now))) : nil
        case .none:
            let passed = passed(by: now)
            return passed > told ? .tellAgain(told: passed) : nil
        }
    }

    /// When the watch has to look again; nil when everything has been said.
    public var nextDue: Date? {
        switch attention {
        case .acknowledged(let time): time.adding(Self.quietAfterAcknowledgement)
        case .asked(let time): time.adding(Self.patienceAfterQuestion)
        case .none: told < Self.tellings.count ? startTime.adding(Self.tellings[told]) : nil
        }
    }

    private func passed(by now: Date) -> Int {
        Self.tellings.prefix { startTime.adding($0) <= now }.count
    }
}

/// The moments of a manual alert on a device (product.md, "Manual alert").
public enum ManualAlertRules {
    public static let progressPerTap = 0.25
    public static let tapReset: Duration = .seconds(3)
    public static let holdToEnd: Duration = .seconds(3)
}
