import Foundation

/// How many paid messages may go out in a day (UTC) by one channel.
public struct Budget: Equatable, Sendable {
    /// Of all users together; nil for no limit.
    public var total: Int?
    /// Caused by one user: by their alerts, or by messages to them that are about no alert.
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
        func isWithin(_ limit: Int?, _ used: Int) -> Bool {
            limit.map { used < $0 * use.percent / 100 } ?? true
        }
        return isWithin(total, used) && byUser.map { isWithin(perUser, $0) } ?? true
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
    /// The course of an alarm: repeats, and what responders do.
    case alertNews
    /// The beginning or the end of an alarm.
    case alarm

    public init(_ purpose: DeliveryPurpose) {
        switch purpose {
        case .alertBegin, .alertEnd: self = .alarm
        case .alertRepeat, .alertNews: self = .alertNews
        case .reminder, .ping, .other: self = .everyday
        }
    }

    /// The part of a budget that it may use up; beginnings and ends have the rest in reserve.
    public var percent: Int {
        switch self {
        case .everyday: 80
        case .alertNews: 90
        case .alarm: 100
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
            if !budget.allows(.alarm, after: used, byUser: nil) {
                .usedUp
            } else if !budget.allows(.everyday, after: used, byUser: nil) {
                .reserve
            } else { .enough }
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
