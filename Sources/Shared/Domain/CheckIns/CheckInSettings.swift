import Foundation

public struct CheckInSettings: Equatable, Sendable {
    public var plan: CheckInPlan
    /// The interval in seconds, which only plans of the kind `interval` use. `IntervalLimits` says
    /// which intervals are accepted.
    public var intervalSeconds: Int
    public var remindTwoHoursBefore: Bool
    public var remindThirtyMinutesBefore: Bool
    public var lastCall: LastCall

    public init(
        plan: CheckInPlan = .interval, intervalSeconds: Int, remindTwoHoursBefore: Bool,
        remindThirtyMinutesBefore: Bool, lastCall: LastCall = .standard
    ) {
        self.lastCall = lastCall
        self.plan = plan
        self.intervalSeconds = intervalSeconds
        self.remindTwoHoursBefore = remindTwoHoursBefore
        self.remindThirtyMinutesBefore = remindThirtyMinutesBefore
    }

    public static let standard = CheckInSettings(
        intervalSeconds: 24 * 3600, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true
    )

    public static let presets: [Duration] = [.hours(8), .hours(16), .hours(24), .hours(48)]

    public var interval: Duration { .seconds(intervalSeconds) }

    /// Returns the interval for a typed number of hours. Clamps the number only to prevent
    /// overflow; `IntervalLimits.check` rejects invalid intervals.
    public static func interval(typedHours hours: Int) -> Duration {
        .hours(min(max(hours, -1), 100_000))
    }

    /// The reminders that are on, without those whose lead isn't shorter than the interval.
    public var reminders: [Reminder] {
        switch plan.kind {
        case .interval: Reminder.allCases.filter { isOn($0) && $0.lead < interval }
        case .times: Reminder.allCases.filter(isOn)
        case .none: []
        }
    }

    public func isOn(_ reminder: Reminder) -> Bool {
        switch reminder {
        case .twoHours: remindTwoHoursBefore
        case .thirtyMinutes: remindThirtyMinutesBefore
        }
    }
}

extension KeyedDecodingContainer {
    /// Returns nil for a missing value. Throws for `null`, which the schemas don't allow.
    func decodeIfGiven<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}

extension CheckInSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case plan, intervalSeconds, remindTwoHoursBefore, remindThirtyMinutesBefore, lastCall
    }

    /// Programs that know only intervals send no plan and no last call. The interval then counts,
    /// with the standard last call.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            plan: try container.decodeIfGiven(CheckInPlan.self, forKey: .plan) ?? .interval,
            intervalSeconds: try container.decode(Int.self, forKey: .intervalSeconds),
            remindTwoHoursBefore: try container.decode(Bool.self, forKey: .remindTwoHoursBefore),
            remindThirtyMinutesBefore: try container.decode(
                Bool.self, forKey: .remindThirtyMinutesBefore),
            lastCall: try container.decodeIfGiven(LastCall.self, forKey: .lastCall) ?? .standard)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if plan != .interval { try container.encode(plan, forKey: .plan) }
        try container.encode(intervalSeconds, forKey: .intervalSeconds)
        try container.encode(remindTwoHoursBefore, forKey: .remindTwoHoursBefore)
        try container.encode(remindThirtyMinutesBefore, forKey: .remindThirtyMinutesBefore)
        if lastCall != .standard { try container.encode(lastCall, forKey: .lastCall) }
    }
}

// MARK: Changes

extension CheckInSettings {
    /// A part that a person can change without the others.
    public enum Part: String, Codable, Sendable, CaseIterable {
        /// The plan and its interval, which set the deadlines together.
        case plan
        case twoHours, thirtyMinutes, lastCallMessage, lastCallCalls, lastCallAnswers
    }

    /// Returns the parts that differ from the settings that the person saw.
    public func parts(changedFrom seen: CheckInSettings) -> Set<Part> {
        Set(Part.allCases.filter { merged([$0], into: seen) != seen })
    }

    /// Returns the present settings with these parts of the new ones. An interval that neither plan
    /// uses stays.
    /// - Parameter parts: the parts that the person has changed; nil for all.
    public func merged(_ parts: Set<Part>?, into present: CheckInSettings) -> CheckInSettings {
        guard let parts else { return self }
        var merged = present
        for part in parts {
            switch part {
            case .plan where hasSameDeadlines(as: present): break
            case .plan: (merged.plan, merged.intervalSeconds) = (plan, intervalSeconds)
            case .twoHours: merged.remindTwoHoursBefore = remindTwoHoursBefore
            case .thirtyMinutes: merged.remindThirtyMinutesBefore = remindThirtyMinutesBefore
            case .lastCallMessage: merged.lastCall.sendsMessage = lastCall.sendsMessage
            case .lastCallCalls: merged.lastCall.calls = lastCall.calls
            case .lastCallAnswers: merged.lastCall.takesAnswers = lastCall.takesAnswers
            }
        }
        return merged
    }
}

// MARK: Deadlines

extension CheckInSettings {
    /// The first deadline after a change to times is at least this far away.
    static let beforeChangedDeadline: Duration = .hours(1)

    /// Returns true if both yield the same deadlines after every check-in.
    public func hasSameDeadlines(as other: CheckInSettings) -> Bool {
        plan == other.plan && (plan.kind != .interval || intervalSeconds == other.intervalSeconds)
    }

    /// The longest time from a check-in to the deadline that follows it, in a week without a change
    /// of clocks; nil without deadlines. With sleep hours, a deadline at their begin has it.
    public var longestSilence: Duration? {
        switch plan {
        case .interval: interval
        case .intervalWithSleep(let sleep): interval + sleep.longestDelay
        case .times(let times): times.longestSilence
        case .none: nil
        }
    }

    /// Returns the greatest change, in the year after this moment, of the clocks that the deadlines
    /// follow. It adds to the longest silence.
    public func clockChange(after moment: Date) -> Duration {
        plan.timeZone.flatMap { ClockZone($0) }?.greatestChange(after: moment) ?? .zero
    }

    /// Returns true if a person can be silent for longer than under the other settings.
    public func allowsLongerSilence(than other: CheckInSettings) -> Bool {
        guard let old = other.longestSilence else { return false }
        return longestSilence.map { $0 > old } ?? true
    }

    /// Returns true if some deadlines come later than under the other settings: with a longer
    /// interval, or with fewer deadlines a week. The longest silence may be the same.
    public func allowsLaterCheckIns(than other: CheckInSettings) -> Bool {
        guard let mean = meanSecondsBetweenDeadlines, let old = other.meanSecondsBetweenDeadlines
        else { return false }
        let areIntervals = plan.kind == .interval && other.plan.kind == .interval
        return mean > old || areIntervals && intervalSeconds > other.intervalSeconds
    }

    /// The mean time between the deadlines of a person who checks in just before each, in weeks
    /// without a change of clocks; nil without deadlines.
    private var meanSecondsBetweenDeadlines: Double? {
        switch plan {
        case .interval: Double(intervalSeconds)
        case .intervalWithSleep(let sleep): sleep.meanSeconds(betweenDeadlines: intervalSeconds)
        case .times(let times):
            times.deadlinesPerWeek == 0 ? nil : 7 * 86_400 / Double(times.deadlinesPerWeek)
        case .none: nil
        }
    }

    /// Returns the end of an interval from a moment, moved out of the sleep hours.
    func endOfInterval(from moment: Date) -> Date {
        outsideSleep(moment.adding(interval))
    }

    /// Returns a deadline of an interval, moved out of the sleep hours.
    func outsideSleep(_ deadline: Date) -> Date { plan.sleep?.moved(deadline) ?? deadline }

    /// Returns the deadline after a check-in; nil without deadlines. If this machine doesn't know
    /// the time zone, the interval counts, so that the person keeps a deadline.
    func next(after checkIn: Date) -> NextCheckIn? {
        switch plan {
        case .none: return nil
        case .interval, .intervalWithSleep:
            return NextCheckIn(opening: nil, deadline: endOfInterval(from: checkIn))
        case .times(let times):
            guard let window = times.firstWindow(openingAfter: checkIn) else {
                return NextCheckIn(opening: nil, deadline: checkIn.adding(interval))
            }
            return NextCheckIn(opening: window.opening, deadline: window.deadline)
        }
    }

    /// Returns the opening of the window with this deadline; nil if no window has it.
    public func opening(ofDeadline deadline: Date) -> Date? {
        guard let window = plan.times?.firstWindow(dueFrom: deadline), window.deadline == deadline
        else { return nil }
        return window.opening
    }

    /// Returns the first deadline after a pause; nil without deadlines.
    public func firstDeadline(afterPause end: Date) -> FirstDeadline? {
        switch plan {
        case .none: return nil
        case .interval, .intervalWithSleep:
            return FirstDeadline(from: end, deadline: endOfInterval(from: end))
        case .times(let times):
            let window = times.firstWindow(dueFrom: end.adding(CheckInPause.beforeFirstTime))
            return FirstDeadline(from: end, deadline: window?.deadline ?? end.adding(interval))
        }
    }

    /// Returns the first deadline by the present time zones. After a change of schedule it may be
    /// older than any window, and so only a deadline after the first window is surely stale.
    func inPresentTimeZones(_ first: FirstDeadline, isAfterPause: Bool) -> FirstDeadline {
        switch plan {
        case .none, .interval: return first
        case .intervalWithSleep:
            return isAfterPause ? firstDeadline(afterPause: first.from) ?? first : first
        case .times(let times):
            let lead = isAfterPause ? CheckInPause.beforeFirstTime : Self.beforeChangedDeadline
            guard opening(ofDeadline: first.deadline) == nil,
                let window = times.firstWindow(dueFrom: first.from.adding(lead)),
                isAfterPause || window.deadline < first.deadline
            else { return first }
            return FirstDeadline(from: first.from, deadline: window.deadline)
        }
    }
}

/// The accepted intervals. An operator can configure them: a demonstration server accepts seconds.
public struct IntervalLimits: Equatable, Sendable {
    public var seconds: ClosedRange<Int>
    public var shortestJourney: Duration

    public init(seconds: ClosedRange<Int>, shortestJourney: Duration = JourneyRules.shortest) {
        self.seconds = seconds
        self.shortestJourney = shortestJourney
    }

    /// 1 hour to 7 days (product.md, "Check-in").
    public static let standard = IntervalLimits(seconds: 3600...604_800)
    /// 1 second to 7 days, for demonstrations only.
    public static let demonstration = IntervalLimits(
        seconds: 1...604_800, shortestJourney: .seconds(1))

    /// Throws `invalidArgument` for an interval outside the limits, and for times or sleep
    /// hours that break a rule.
    public func check(_ settings: CheckInSettings) throws(CommandError) {
        guard seconds.contains(settings.intervalSeconds) else {
            throw .invalidArgument(field: "intervalSeconds", refusal.message)
        }
        try settings.plan.times?.check()
        try settings.plan.sleep?.check()
    }

    public var refusal: RefusalWords {
        .interval((Self.words(seconds.lowerBound), Self.words(seconds.upperBound)))
    }

    /// Returns the duration in the largest unit that divides it: "7 days".
    private static func words(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3600, "hour"), (1, "second")]
        let (size, unit) =
            units.first { seconds.isMultiple(of: $0.0) && seconds >= $0.0 } ?? (1, "second")
        return seconds / size == 1 ? "1 \(unit)" : "\(seconds / size) \(unit)s"
    }
}

/// A reminder before the deadline (product.md, "Reminders").
public enum Reminder: Int, CaseIterable, Sendable {
    case twoHours = 1
    case thirtyMinutes = 2

    public var lead: Duration {
        switch self {
        case .twoHours: .hours(2)
        case .thirtyMinutes: .minutes(30)
        }
    }
}

/// A reminder before the end of a pause (product.md, "Pause").
public enum PauseReminder: Int, CaseIterable, Sendable {
    case dayBefore = 4
    case twoHoursBefore = 8

    public var lead: Duration {
        switch self {
        case .dayBefore: .hours(24)
        case .twoHoursBefore: .hours(2)
        }
    }
}

/// The reminders sent for the current deadline and pause. The raw value is a database column.
public struct SentReminders: OptionSet, Sendable, Equatable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public init(_ reminder: Reminder) { self.rawValue = reminder.rawValue }
    public init(_ reminder: PauseReminder) { self.rawValue = reminder.rawValue }
    public init(_ step: LastCallStep) { self.rawValue = step.rawValue }

    /// The responders know that the last pause has ended.
    static let pauseEnd = SentReminders(rawValue: 64)

    /// The person ended the last pause early, so the time that they chose for its end is void.
    static let pauseEndedByPerson = SentReminders(rawValue: 128)

    static let ofPastPause: SentReminders = [.pauseEnd, .pauseEndedByPerson]

    static let ofPauses = PauseReminder.allCases.reduce(into: ofPastPause) {
        $0.formUnion(SentReminders($1))
    }
}
