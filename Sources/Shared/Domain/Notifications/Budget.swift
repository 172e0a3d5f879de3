import Foundation

/// The most paid messages per day (UTC) on one channel.
public struct Budget: Equatable, Sendable {
    /// The limit for all users together; nil for no limit.
    public var total: Int?
    /// The limit for one user; nil for no limit. The messages about a user's alerts count, and so
    /// do that user's own messages that aren't about alerts.
    public var perUser: Int?

    public static let unlimited = Budget(total: nil, perUser: nil)

    public init(total: Int?, perUser: Int?) {
        self.total = total
        self.perUser = perUser
    }

    public var isLimited: Bool { total != nil || perUser != nil }

    /// A tenth of the total, so that no single user can use it up.
    public static func standardPerUser(ofTotal total: Int) -> Int { max(1, total / 10) }

    /// Returns true if another message may be sent today.
    /// - Parameter byUser: the number of today's messages that count for the user; nil if this
    ///   message counts for no user.
    public func allows(_ use: BudgetUse, after used: Int, byUser: Int?) -> Bool {
        if let total, used >= total * use.percent / 100 { return false }
        guard let perUser, let byUser, let percent = use.percentOfShare else { return true }
        return byUser < max(1, perUser * percent / 100)
    }

    /// Returns true if all these messages of one user may be sent today. If the user's whole share
    /// is smaller, an unused share suffices.
    public func allows(_ count: Int, _ use: BudgetUse, after used: Int, byUser: Int) -> Bool {
        guard count > 0 else { return true }
        return allows(use, after: used + count - 1, byUser: nil)
            && (byUser == 0 || allows(use, after: used, byUser: byUser + count - 1))
    }

    /// The most codes per day to numbers without an account; nil for no limit. Half of the everyday
    /// share stays reserved for people with an account, so that they can sign in.
    public var codesToNewNumbers: Int? { total.map { $0 * BudgetUse.everyday.percent / 200 } }

    /// Returns the start (UTC) of the day that a message counts for.
    public static func day(of date: Date) -> Date {
        let length = Duration.days(1).milliseconds
        return Date(milliseconds: date.milliseconds / length * length)
    }

    public static func rest(ofDayAt now: Date) -> Duration {
        day(of: now).adding(.days(1)).since(now)
    }
}

/// The use of a paid message. Each use has its own share of a budget.
public enum BudgetUse: Equatable, Sendable, CaseIterable {
    case everyday
    /// News of responders' actions.
    case alertNews
    case alertRepeat
    /// The first alarm that a person gets, even if it is a repeat for others.
    case alertBegin
    case alertEnd

    public init(_ purpose: DeliveryPurpose) {
        switch purpose {
        case .alertBegin: self = .alertBegin
        case .alertEnd: self = .alertEnd
        case .alertRepeat, .lastCall, .journey: self = .alertRepeat
        case .alertNews, .alertUntaken: self = .alertNews
        case .reminder, .ping, .drill, .test, .other: self = .everyday
        }
    }

    /// The percentage of the total that this use may consume. The rest is reserved for the
    /// beginnings and ends of alerts.
    public var percent: Int {
        switch self {
        case .everyday: 80
        case .alertNews: 85
        case .alertRepeat: 90
        case .alertBegin, .alertEnd: 100
        }
    }

    /// The percentage of one user's limit that this use may consume; nil for no limit. Beginnings
    /// may consume 200 %, so that a user's reminders can't block that user's alarms. Ends need no
    /// limit, because each one follows a beginning.
    var percentOfShare: Int? {
        switch self {
        case .everyday, .alertNews, .alertRepeat: percent
        case .alertBegin: 200
        case .alertEnd: nil
        }
    }
}

public struct Budgets: Equatable, Sendable {
    public var sms: Budget
    public var voice: Budget

    public static let unlimited = Budgets(sms: .unlimited, voice: .unlimited)

    public init(sms: Budget, voice: Budget) {
        self.sms = sms
        self.voice = voice
    }

    /// Returns nil for a channel that is free or has no limit.
    public func limited(_ channel: DeliveryChannel) -> Budget? {
        let budget: Budget? =
            switch channel {
            case .sms: sms
            case .voice: voice
            default: nil
            }
        return budget.flatMap { $0.isLimited ? $0 : nil }
    }

    public static let channels: [DeliveryChannel] = [.sms, .voice]
}

/// How much of a budget's total is used, as reported to the operator.
public enum BudgetLevel: Int, Comparable, Sendable {
    case enough
    /// Codes, reminders and drills have stopped. News stops within this level.
    case reserve
    /// Repeats, last calls and reminders of journeys have stopped as well.
    case alarmsOnly
    case usedUp

    public init(_ budget: Budget, used: Int) {
        self =
            if !budget.allows(.alertBegin, after: used, byUser: nil) {
                .usedUp
            } else if !budget.allows(.alertRepeat, after: used, byUser: nil) {
                .alarmsOnly
            } else if !budget.allows(.everyday, after: used, byUser: nil) {
                .reserve
            } else { .enough }
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
