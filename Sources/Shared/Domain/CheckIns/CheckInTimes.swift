import Foundation

/// A period of the day in which a check-in counts (product.md, "Schedules").
public struct CheckInWindow: Codable, Hashable, Sendable {
    /// The days of the deadline.
    public var days: Set<Weekday>
    /// When the window opens: on the day of the deadline, or on the day before if this time of day
    /// isn't before the deadline's. nil for the default of `standardLead`.
    public var opens: TimeOfDay?
    public var deadline: TimeOfDay

    public init(days: Set<Weekday>, opens: TimeOfDay? = nil, deadline: TimeOfDay) {
        self.days = days
        self.opens = opens
        self.deadline = deadline
    }

    public static let standardLead: Duration = .hours(6)
    /// 30 minutes to 24 hours.
    public static let leads: ClosedRange<Int> = 30...1440

    /// Minutes from the opening to the deadline.
    var lead: Int {
        opens.map(deadline.minutes(since:)) ?? Int(Self.standardLead.components.seconds) / 60
    }

    private enum CodingKeys: String, CodingKey { case days, opens, deadline }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            days: try Self.days(container),
            opens: try container.decodeIfGiven(TimeOfDay.self, forKey: .opens),
            deadline: try container.decode(TimeOfDay.self, forKey: .deadline))
    }

    /// Throws for a day that is given twice, which the schema doesn't allow.
    private static func days(
        _ container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Set<Weekday> {
        let days = try container.decode([Weekday].self, forKey: .days)
        guard Set(days).count == days.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .days, in: container, debugDescription: "a day is given twice")
        }
        return Set(days)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(days.sorted(), forKey: .days)
        try container.encodeIfPresent(opens, forKey: .opens)
        try container.encode(deadline, forKey: .deadline)
    }
}

/// Windows on the days of a week, as local times in one time zone (product.md, "Schedules").
public struct CheckInTimes: Codable, Hashable, Sendable {
    /// An IANA name, such as `Europe/Berlin`.
    public var timeZone: String
    public var windows: [CheckInWindow]

    public init(timeZone: String, windows: [CheckInWindow]) {
        self.timeZone = timeZone
        self.windows = windows
    }

    // MARK: Limits

    public static let windowsPerDay = 6
    static let minutesBetweenDeadlines = 60

    /// Throws `invalidArgument` for times that break a rule of product.md, "Schedules".
    public func check() throws(CommandError) {
        if let refusal {
            throw .invalidArgument(field: "plan", refusal.detail)
        }
    }

    /// The first broken rule, in words; nil if there is none.
    public var refusal: RefusalWords? {
        if ClockZone(timeZone) == nil { return .unknown(timeZone) }
        if windows.isEmpty || windows.contains(where: \.days.isEmpty) { return .noTimes }
        if windows.contains(where: { !CheckInWindow.leads.contains($0.lead) }) {
            return .windowLength
        }
        let perDay = Weekday.allCases.map { day in windows.count { $0.days.contains(day) } }
        if perDay.contains(where: { $0 > Self.windowsPerDay }) { return .windowsPerDay }
        let week = week
        if week.contains(where: { $0.sincePrevious < Self.minutesBetweenDeadlines }) {
            return .deadlinesTooClose
        }
        // A window with the default opening is shortened instead.
        let overlaps = week.contains { $0.window.opens != nil && $0.window.lead > $0.sincePrevious }
        return overlaps ? .windowsOverlap : nil
    }

    /// The deadlines of a week without a change of clocks, with the minutes since the deadline
    /// before.
    private var week: [(window: CheckInWindow, sincePrevious: Int)] {
        let deadlines = windows.flatMap { window in
            window.days.map { day in
                (window, day.index * TimeOfDay.minutesPerDay + window.deadline.minutes)
            }
        }.sorted { $0.1 < $1.1 }
        let week = 7 * TimeOfDay.minutesPerDay
        guard var previous = deadlines.last.map({ $0.1 - week }) else { return [] }
        return deadlines.map { window, minute in
            defer { previous = minute }
            return (window, minute - previous)
        }
    }

    var deadlinesPerWeek: Int { windows.reduce(0) { $0 + $1.days.count } }

    /// The longest time from a check-in to the deadline that follows it, in a week without a change
    /// of clocks.
    public var longestSilence: Duration {
        let week = week
        let leads = week.map { min($0.window.lead, $0.sincePrevious) }
        let next = week.map(\.sincePrevious).dropFirst() + week.prefix(1).map(\.sincePrevious)
        return .minutes(zip(leads, next).map { $0 + $1 }.max() ?? 0)
    }

    // MARK: Deadlines

    /// How long a window is at least, when clocks change, too.
    private static let shortestWindow: Duration = .minutes(CheckInWindow.leads.lowerBound)

    /// Returns true if a check-in at this moment satisfies a window.
    func isInWindow(_ moment: Date) -> Bool {
        firstWindow(dueFrom: moment.adding(.milliseconds(1))).map { $0.opening <= moment } ?? false
    }

    /// One window on one day.
    public struct Occurrence: Equatable, Sendable {
        public let opening: Date
        public let deadline: Date

        fileprivate func opening(notBefore earliest: Date?) -> Occurrence {
            Occurrence(opening: max(opening, earliest ?? opening), deadline: deadline)
        }
    }

    /// Returns the first window that opens after this moment. A check-in at the opening satisfies
    /// the window. Returns nil without windows, and in a time zone that this machine doesn't know.
    public func firstWindow(openingAfter moment: Date) -> Occurrence? {
        first(around: moment) { $0.opening > moment }
    }

    /// Returns the first window whose deadline isn't before this moment; nil as above.
    public func firstWindow(dueFrom moment: Date) -> Occurrence? {
        first(around: moment) { $0.deadline >= moment }
    }

    /// Looks from two days before the moment, because a window may open a day before its deadline,
    /// to three weeks after it: deadlines are at most seven days apart, and the search ends at the
    /// deadline after the wanted one.
    private func first(
        around moment: Date, where isWanted: (Occurrence) -> Bool
    ) -> Occurrence? {
        guard let zone = ClockZone(timeZone) else { return nil }
        let today = zone.day(of: moment)
        var previous: Date?
        var latest: Occurrence?
        for next in (today - 2...today + 22).lazy.flatMap({ occurrences(on: $0, in: zone) }) {
            // A change of clocks may bring two deadlines together, also of two days. The last call
            // for the second one would come before its window. A check-in counts for both instead.
            if let last = latest, next.deadline.since(last.deadline) < Self.shortestWindow {
                latest = Occurrence(
                    opening: min(last.opening, next.opening), deadline: last.deadline)
                continue
            }
            if let found = latest?.opening(notBefore: previous) {
                if isWanted(found) { return found }
                previous = found.deadline
            }
            latest = next
        }
        return nil
    }

    /// Returns the windows of a local day by their deadlines. Sorts moments instead of times of
    /// day, because a change of clocks may swap two deadlines.
    private func occurrences(on day: Int, in zone: ClockZone) -> [Occurrence] {
        let weekday = CalendarDay.weekday(ofDay: day)
        let today = windows.filter { $0.days.contains(weekday) }.map { window in
            let minute = window.deadline.minutes
            let deadline = zone.moments(day: day, minute: minute).last
            let opening = zone.moments(day: day, minute: minute - window.lead).first
            // If the clock skips the opening, it moves forward, perhaps beyond the deadline.
            return Occurrence(
                opening: min(opening, deadline.adding(.zero - Self.shortestWindow)),
                deadline: deadline)
        }
        return today.sorted { ($0.deadline, $0.opening) < ($1.deadline, $1.opening) }
    }
}
