import Foundation

/// The check-ins of a month, day by day. A day has the dates of one time zone.
public struct CheckInMonth: Equatable, Sendable {
    /// What the history says about a day (product.md, "The month").
    public enum Mark: String, Codable, Sendable, CaseIterable {
        /// At least one check-in, and no alert for a missed one.
        case kept
        /// A check-in ended the alert for a missed one.
        case late
        /// An alert for a missed check-in began, and no check-in of the day ended it.
        case missed
        /// The present pause covers the whole day.
        case paused
        case noCheckIn
        /// The given history doesn't reach this day.
        case unknown
        case future
    }

    public struct Day: Equatable, Sendable, Identifiable {
        /// 1 to 31.
        public let number: Int
        public let weekday: Weekday
        public let mark: Mark
        public let isToday: Bool
        /// Newest first.
        public let checkIns: [CheckInRecord]

        public var id: Int { number }
    }

    public let month: CalendarMonth
    public let days: [Day]

    /// The server deletes an alert a year after its end, unless its operator has chosen another
    /// time. Older days are unknown, because their alerts may be missing.
    static let longestKnown: Duration = .days(365)

    /// - Parameters:
    ///   - alerts: the person's own alerts, of every kind.
    ///   - pause: the last pause that the server stores.
    ///   - knownSince: the given check-ins and alerts are all since this time.
    ///   - knownUntil: the age of a local copy; nil if the history is up to date.
    public init(
        _ month: CalendarMonth, checkIns: [CheckInRecord], alerts: [AlertRecord],
        pause: CheckInPause?, knownSince: Date, knownUntil: Date? = nil, in zone: TimeZone,
        at now: Date
    ) {
        let clock = ClockZone(any: zone)
        let starts = (0...month.dayCount).map { day in
            clock.moments(day: month.firstDay + day, minute: 0).first
        }
        let history = History(
            misses: Miss.all(among: alerts, checkIns: checkIns), pause: pause,
            knownSince: max(knownSince, now.adding(.zero - Self.longestKnown)),
            knownUntil: knownUntil, now: now)
        let newestFirst = checkIns.sorted { $0.occurredAt > $1.occurredAt }
        self.month = month
        days = (0..<month.dayCount).map { day in
            let (start, end) = (starts[day], starts[day + 1])
            let ofDay = newestFirst.filter { $0.occurredAt >= start && $0.occurredAt < end }
            return Day(
                number: day + 1, weekday: CalendarDay.weekday(ofDay: month.firstDay + day),
                mark: history.mark(from: start, to: end, hasCheckIns: !ofDay.isEmpty),
                isToday: start <= now && now < end, checkIns: ofDay)
        }
    }

    /// The weeks, from Monday to Sunday. Days of other months are nil.
    public var weeks: [[Day?]] {
        var cells = [Day?](repeating: nil, count: days.first?.weekday.index ?? 0)
        for day in days { cells.append(day) }
        while !cells.count.isMultiple(of: 7) { cells.append(nil) }
        return stride(from: 0, to: cells.count, by: 7).map { Array(cells[$0..<$0 + 7]) }
    }

    public func day(_ number: Int?) -> Day? { days.first { $0.number == number } }

    /// Returns the zone of the schedule, else of the device; UTC if neither is known.
    public static func zone(of settings: CheckInSettings, device: String?) -> TimeZone {
        let names = [settings.plan.timeZone, device].compactMap(\.self)
        return names.compactMap { TimeZone(identifier: $0) }.first ?? .gmt
    }

    /// Returns the first moment of the day that contains this time.
    public static func startOfDay(_ date: Date, in zone: TimeZone) -> Date {
        let clock = ClockZone(any: zone)
        return clock.moments(day: clock.day(of: date), minute: 0).first
    }
}

/// An alert for a missed check-in.
private struct Miss {
    let began: Date
    /// When the person made the check-in that ended the alert; nil while it is open.
    let made: Date?

    static func all(among alerts: [AlertRecord], checkIns: [CheckInRecord]) -> [Miss] {
        // The server ends the alert in the transaction that receives the check-in.
        let made = Dictionary(
            checkIns.map { ($0.receivedAt, $0.occurredAt) }, uniquingKeysWith: max)
        return alerts.filter { $0.kind == .missedCheckIn }.map { alert in
            Miss(began: alert.startTime, made: alert.endTime.map { made[$0] ?? $0 })
        }
    }
}

private struct History {
    let misses: [Miss]
    let pause: CheckInPause?
    let knownSince: Date
    let knownUntil: Date?
    let now: Date

    func mark(from start: Date, to end: Date, hasCheckIns: Bool) -> CheckInMonth.Mark {
        guard start <= now else { return .future }
        guard start >= knownSince else { return .unknown }
        let isMissed = misses.contains { miss in
            // A check-in that arrives late may have been made on an earlier day.
            let isEndedByDay = miss.made.map { $0 >= start && $0 < end } ?? false
            return miss.began >= start && miss.began < end && !isEndedByDay
        }
        if isMissed { return .missed }
        if hasCheckIns {
            let isLate = misses.contains { miss in
                guard let made = miss.made, miss.began < end else { return false }
                return made >= start && made < end
            }
            return isLate ? .late : .kept
        }
        if let knownUntil, end > knownUntil { return .unknown }
        if let pause, pause.began <= start, end <= pause.until { return .paused }
        return .noCheckIn
    }
}
