import Foundation

/// What sets a person's deadlines (product.md, "Schedules").
public enum CheckInPlan: Hashable, Sendable {
    /// The last check-in plus the interval in `CheckInSettings`.
    case interval
    /// As `interval`, but no deadline is in the sleep hours or soon after.
    case intervalWithSleep(SleepHours)
    case times(CheckInTimes)
    /// No deadlines, for people who only watch over others.
    case none
}

extension CheckInPlan: Codable {
    private enum CodingKeys: String, CodingKey { case kind, timeZone, windows, sleep }
    public enum Kind: String, Codable, CaseIterable, Sendable { case interval, times, none }

    public var kind: Kind {
        switch self {
        case .interval, .intervalWithSleep: .interval
        case .times: .times
        case .none: .none
        }
    }

    /// An interval, with sleep hours if there are any.
    public init(intervalWith sleep: SleepHours?) {
        self = sleep.map { .intervalWithSleep($0) } ?? .interval
    }

    public var times: CheckInTimes? { if case .times(let times) = self { times } else { nil } }

    public var sleep: SleepHours? {
        if case .intervalWithSleep(let sleep) = self { sleep } else { nil }
    }

    /// The IANA name of the zone of local times; nil for a plan without local times.
    public var timeZone: String? { times?.timeZone ?? sleep?.timeZone }

    /// Returns the plan with the same local times in another zone.
    public func moved(to timeZone: String) -> CheckInPlan {
        switch self {
        case .interval, .none: return self
        case .intervalWithSleep(var sleep):
            sleep.timeZone = timeZone
            return .intervalWithSleep(sleep)
        case .times(var times):
            times.timeZone = timeZone
            return .times(times)
        }
    }

    /// The first broken rule, in words; nil if there is none.
    public var refusal: RefusalWords? { times?.refusal ?? sleep?.refusal }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Other kinds ignore the values, but refuse what the schema doesn't allow.
        _ = try container.decodeIfGiven(String.self, forKey: .timeZone)
        _ = try container.decodeIfGiven([CheckInWindow].self, forKey: .windows)
        let sleep = try container.decodeIfGiven(SleepHours.self, forKey: .sleep)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .interval: self = CheckInPlan(intervalWith: sleep)
        case .times: self = .times(try CheckInTimes(from: decoder))
        case .none: self = .none
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        if case .times(let times) = self { try times.encode(to: encoder) }
        if let sleep { try container.encode(sleep, forKey: .sleep) }
    }
}

/// The first deadline after a change of schedule or a pause (product.md, "Schedules", "Pause").
public struct FirstDeadline: Codable, Equatable, Sendable {
    /// The change, or the end of the pause. Check-ins before it don't move the deadline.
    public var from: Date
    public var deadline: Date

    public init(from: Date, deadline: Date) {
        self.from = from
        self.deadline = deadline
    }
}

/// A time without deadlines that a person has chosen (product.md, "Pause").
public struct CheckInPause: Codable, Equatable, Sendable {
    public var began: Date
    public var until: Date

    public init(began: Date, until: Date) {
        self.began = began
        self.until = until
    }

    public static let longest: Duration = .days(30)
    /// The first of a person's times after a pause is at least this long after its end.
    static let beforeFirstTime: Duration = .hours(2)

    /// Throws `invalidArgument` for an end in the past or more than 30 days ahead.
    public static func check(until: Date, at now: Date) throws(CommandError) {
        if let words = refusal(until: until, at: now) {
            throw .invalidArgument(field: "until", words.detail)
        }
    }

    /// Returns nil for an end that `check` accepts.
    public static func refusal(until: Date, at now: Date) -> RefusalWords? {
        if until <= now { return .pauseEndPassed }
        return until <= now.adding(longest) ? nil : .pauseEnd
    }
}
