import Foundation

/// A period of the day without deadlines, for a person with an interval (product.md, "Schedules").
public struct SleepHours: Codable, Hashable, Sendable {
    public var from: TimeOfDay
    /// On the next day, if this time of day isn't after `from`.
    public var until: TimeOfDay
    /// An IANA name, such as `Europe/Berlin`.
    public var timeZone: String

    public init(from: TimeOfDay, until: TimeOfDay, timeZone: String) {
        self.from = from
        self.until = until
        self.timeZone = timeZone
    }

    /// In minutes, 30 minutes to 10 hours.
    public static let lengths: ClosedRange<Int> = 30...600
    /// From the end to the earliest deadline after it.
    public static let afterEnd: Duration = .hours(1)

    /// In minutes, on a day without a change of clocks.
    private var length: Int { until.minutes(since: from) }

    /// Throws `invalidArgument` for sleep hours that break a rule of product.md, "Schedules".
    public func check() throws(CommandError) {
        if let refusal { throw .invalidArgument(field: "plan", refusal.detail) }
    }

    /// The first broken rule, in words; nil if there is none.
    public var refusal: RefusalWords? {
        if ClockZone(timeZone) == nil { return .unknown(timeZone) }
        return Self.lengths.contains(length) ? nil : .sleepLength
    }

    /// The longest delay of a deadline, reached at the start of the sleep hours. Ignores clock
    /// changes.
    public var longestDelay: Duration { Self.afterEnd + .minutes(length) }

    /// Returns the mean time in seconds between the deadlines of a person who checks in just before
    /// each, on days without a change of clocks.
    /// - Parameter interval: in seconds.
    func meanSeconds(betweenDeadlines interval: Int) -> Double {
        let (day, first) = (86_400, Int(Self.afterEnd.components.seconds))
        // Counts from an end of the sleep hours, and begins with a deadline that they have moved.
        let nextBegin = day - length * 60
        var (deadline, count) = (first, 0)
        // After the same time of day, the same deadlines follow again.
        repeat {
            deadline += interval
            count += 1
            let timeOfDay = deadline % day
            if timeOfDay >= nextBegin { deadline += day - timeOfDay + first }
            if timeOfDay < first { deadline += first - timeOfDay }
        } while deadline % day != first
        return Double(deadline - first) / Double(count)
    }

    /// Returns the deadline, or `afterEnd` after the end for a deadline from the begin until then.
    /// A later check-in therefore never gets an earlier deadline. Returns the deadline unchanged in
    /// a time zone that this machine doesn't know.
    func moved(_ deadline: Date) -> Date {
        guard let zone = ClockZone(timeZone) else { return deadline }
        let today = zone.day(of: deadline)
        // A clock that is set back at midnight shows the time before a period that has begun.
        for day in (today - 1)...(today + 1) {
            let begin = zone.moments(day: day, minute: from.minutes).first
            let end = zone.moments(day: day, minute: from.minutes + length).last
            let earliest = end.adding(Self.afterEnd)
            if begin <= deadline, deadline < earliest { return earliest }
        }
        return deadline
    }
}
