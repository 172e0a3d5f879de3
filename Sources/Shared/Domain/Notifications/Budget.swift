import Foundation

/// How many paid messages may go out in a day (UTC) by one channel.
public struct Budget: Equatable, Sendable {
    /// The limit for all users together; nil for no limit.
    public var total: Int?
    /// The limit for what one user causes: by their alerts, or by messages to them that are about
    /// no alert.
    public var perUser: Int?

    public static let unlimited = Budget(total: nil, perUser: nil)

    public init(total: Int?, perUser: Int?) {
        self.total = total
        self.perUser = perUser
    }

    public var isLimited: Bool { total != nil || perUser != nil }

    /// A tenth of the total, so that no single user can use it up.
    public static func standardPerUser(ofTotal total: Int) -> Int { max(1, total / 10) }

    /// True if one more message may go out after those of today.
    /// - Parameter byUser: those that the user has caused; nil when nobody has caused it.
    public func allows(_ use: BudgetUse, after used: Int, byUser: Int?) -> Bool {
        if let total, used >= total * use.percent / 100 { return false }
        guard let perUser, let byUser, let percent = use.percentOfShare else { return true }
        return byUser < max(1, perUser * percent / 100)
    }

    /// The beginning of the day (UTC) that a message counts for.
    public static func day(of date: Date) -> Date {
        let length = Duration.days(1).milliseconds
        return Date(milliseconds: date.milliseconds / length * length)
    }

    /// The time until the next day begins.
    public static func rest(ofDayAt now: Date) -> Duration {
        day(of: now).adding(.days(1)).since(now)
    }
}

/// The use of a paid message, which decides how much of a budget it may take.
public enum BudgetUse: Equatable, Sendable, CaseIterable {
    /// Codes, reminders and drills.
    case everyday
    /// The acts of responders.
    case alertNews
    /// The repeats of an alarm.
    case alertRepeat
    /// The first alarm that comes to a person, be it a repeat for the others.
    case alertBegin
    case alertEnd

    public init(_ purpose: DeliveryPurpose) {
        switch purpose {
        case .alertBegin: self = .alertBegin
        case .alertEnd: self = .alertEnd
        case .alertRepeat: self = .alertRepeat
        case .alertNews: self = .alertNews
        case .reminder, .ping, .drill, .test, .other: self = .everyday
        }
    }

    /// The part of the total that it may use up; beginnings and ends have the rest in reserve.
    public var percent: Int {
        switch self {
        case .everyday: 80
        case .alertNews: 85
        case .alertRepeat: 90
        case .alertBegin, .alertEnd: 100
        }
    }

    /// The part of one user's share that it may use up. Beginnings may take as much again as all
    /// the rest: nobody uses up their own alarms with reminders, nor the reserve of all with
    /// alarms. Ends go to those who were told of a beginning, and so need no limit of their own;
    /// nil for them.
    var percentOfShare: Int? {
        switch self {
        case .everyday, .alertNews, .alertRepeat: percent
        case .alertBegin: 200
        case .alertEnd: nil
        }
    }
}

/// The budgets of all paid channels.
public struct Budgets: Equatable, Sendable {
    public var sms: Budget
    public var voice: Budget

    public static let unlimited = Budgets(sms: .unlimited, voice: .unlimited)

    public init(sms: Budget, voice: Budget) {
        self.sms = sms
        self.voice = voice
    }

    /// nil for a channel that costs nothing, or has no limit.
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

/// How far the total of a budget is used up, in the steps that the operator hears of.
public enum BudgetLevel: Int, Comparable, Sendable {
    case enough
    /// Codes, reminders and drills have stopped.
    case reserve
    case usedUp

    public init(_ budget: Budget, used: Int) {
        self =
            if !budget.allows(.alertBegin, after: used, byUser: nil) {
                .usedUp
            } else if !budget.allows(.everyday, after: used, byUser: nil) {
                .reserve
            } else { .enough }
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
