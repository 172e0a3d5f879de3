import Foundation
import SeededGenerator

/// A person's times of day, and their windows. Implements product.md ("Schedules") independently of
/// the product.
struct LocalTimes: Hashable, Sendable {
    /// Minutes after midnight. `lead` is the time from the opening to the deadline; nil for the
    /// default.
    struct Window: Hashable, Sendable {
        var deadline: Int
        var lead: Int?
    }

    struct Span: Sendable {
        var opening: Date
        var deadline: Date
    }

    var place: Step.Place
    /// 0 for Monday.
    var days: Set<Int>
    var windows: [Window]

    /// Draws one to three windows. In a third, one of them is at night, when clocks change.
    init(_ place: Step.Place, number: Int) {
        self.place = place
        var chance = SeededGenerator(seed: UInt64(number) ^ 0x71AE)
        let all = Set(0..<7)
        let some = all.sorted().filter { _ in chance.isBelow(0.5) }
        days = chance.isBelow(0.6) || some.isEmpty ? all : Set(some)
        let count = [1, 1, 2, 3].pick(&chance)
        let isAtNight = chance.isBelow(0.33)
        var deadlines = [5 * Int.random(in: 0..<(isAtNight ? 48 : 288), using: &chance)]
        for _ in 0..<(count - 1) {
            let next = 5 * Int.random(in: 0..<288, using: &chance)
            let isFar = deadlines.allSatisfy {
                let distance = abs($0 - next)
                return min(distance, 1_440 - distance) >= 90
            }
            if isFar { deadlines.append(next) }
        }
        deadlines.sort()
        windows = deadlines.enumerated().map { index, deadline in
            let before = index > 0 ? deadlines[index - 1] : (deadlines.last ?? deadline) - 1_440
            let longest = min(deadline - before, 720)
            let lead = 5 * Int.random(in: 6...(longest / 5), using: &chance)
            return Window(deadline: deadline, lead: chance.isBelow(0.4) ? nil : lead)
        }
    }

    func first(openingAfter moment: Date) -> Span? { first(near: moment) { $0.opening > moment } }

    func first(dueFrom moment: Date) -> Span? { first(near: moment) { $0.deadline >= moment } }

    /// Returns true if a check-in at this moment satisfies a window.
    func hasWindow(at moment: Date) -> Bool {
        first(near: moment) { $0.deadline > moment }.map { $0.opening <= moment } ?? false
    }

    private func first(near moment: Date, _ isWanted: (Span) -> Bool) -> Span? {
        let today = Int((moment.timeIntervalSince1970 / 86_400).rounded(.down))
        var last: Date?
        for day in (today - 3)...(today + 16) {
            for span in spans(on: day, in: place.zone) {
                if let last, span.deadline <= last { continue }
                let opening = max(span.opening, last ?? span.opening)
                last = span.deadline
                let found = Span(opening: opening, deadline: span.deadline)
                if isWanted(found) { return found }
            }
        }
        return nil
    }

    /// Returns the windows with a deadline on a local day, counted from 1 January 1970, a Thursday.
    private func spans(on day: Int, in zone: TimeZone) -> [Span] {
        guard days.contains((day + 3) % 7) else { return [] }
        return windows.map { window in
            let local = day * 1_440 + window.deadline
            let deadline = Self.moments(local, in: zone).last
            let opening = Self.moments(local - (window.lead ?? 360), in: zone).first
            return Span(opening: min(opening, deadline.adding(.minutes(-30))), deadline: deadline)
        }.sorted { ($0.deadline, $0.opening) < ($1.deadline, $1.opening) }
    }

    /// Returns when clocks in a zone show a local time, in minutes since 1970: the first and the
    /// last moment. Looks at each quarter of an hour, because all offsets are multiples of it.
    fileprivate static func moments(_ local: Int, in zone: TimeZone) -> (first: Date, last: Date) {
        func offset(_ moment: Int) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
        }
        let local = local * 60
        let near = local - offset(local)
        var shown: [Int] = []
        var before = near
        for moment in stride(from: near - 10_800, through: near + 10_800, by: 900) {
            let clock = moment + offset(moment)
            if clock == local { shown.append(moment) }
            if clock < local { before = moment }
        }
        // A clock that skips the time would show it here without the change.
        let skipped = local - offset(before)
        func date(_ moment: Int) -> Date { Date(milliseconds: Int64(moment) * 1_000) }
        return (date(shown.first ?? skipped), date(shown.last ?? skipped))
    }

    /// The longest time from a check-in to its deadline, in a week without a change of clocks.
    var longestSilence: Duration {
        guard let noChange = TimeZone(secondsFromGMT: 0) else { return .zero }
        let spans = (0..<21).flatMap { self.spans(on: $0, in: noChange) }
        let openings = zip(spans, spans.dropFirst()).map { max($0.deadline, $1.opening) }
        return zip(openings, spans.dropFirst(2)).map { $1.deadline.since($0) }.max() ?? .zero
    }
}

extension LocalTimes: CustomStringConvertible {
    var description: String {
        let names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        let week = days.count == 7 ? "daily" : days.sorted().map { names[$0] }.joined()
        let times = windows.map { window in
            Self.clock(window.deadline) + (window.lead.map { " (\($0) min)" } ?? "")
        }
        return "\(week) \(times.joined(separator: ", ")) in \(place.rawValue)"
    }

    fileprivate static func clock(_ minute: Int) -> String {
        let rest = minute % 60
        return "\(minute / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}

/// A person's sleep hours. Implements product.md ("Schedules") independently of the product.
struct SleepTimes: Hashable, Sendable {
    var place: Step.Place
    /// Minutes after midnight.
    var from: Int
    /// In minutes.
    var length: Int

    /// Draws 30 minutes to 10 hours. In a third, they begin or end at night, when clocks change.
    init(_ place: Step.Place, number: Int) {
        self.place = place
        var chance = SeededGenerator(seed: UInt64(number) ^ 0x51EE)
        let length = [30, 480, 540, 600, 5 * Int.random(in: 6...120, using: &chance)].pick(&chance)
        let night = 5 * Int.random(in: 0..<48, using: &chance)
        let begins = [night, night - length, 5 * Int.random(in: 0..<288, using: &chance)]
        let usual = 5 * Int.random(in: 252..<288, using: &chance)
        from = ((begins + [usual, usual, usual]).pick(&chance) + 1_440) % 1_440
        self.length = length
    }

    var until: Int { (from + length) % 1_440 }

    /// Counts the deadlines of an interval in seconds, from an hour after a night on. No clocks
    /// change.
    func deadlinesInFourWeeks(every interval: Int) -> Int {
        var (second, count) = (3_600, 0)
        while second < 28 * 86_400 {
            second += interval
            // The next night begins when the rest of the day is as long as the night.
            let rest = 86_400 - second % 86_400
            if rest <= length * 60 { second += rest + 3_600 }
            if second % 86_400 < 3_600 { second += 3_600 - second % 86_400 }
            count += 1
        }
        return count
    }

    /// Returns a deadline moved to an hour after the end, if it is inside or in that hour.
    func moved(_ deadline: Date) -> Date {
        let today = Int((deadline.timeIntervalSince1970 / 86_400).rounded(.down))
        let ends = ((today - 3)...(today + 3)).compactMap { day -> Date? in
            let begin = LocalTimes.moments(day * 1_440 + from, in: place.zone).first
            let end = LocalTimes.moments(day * 1_440 + from + length, in: place.zone).last
            let earliest = end.adding(.hours(1))
            return deadline >= begin && deadline < earliest ? earliest : nil
        }
        return ends.first ?? deadline
    }
}

extension SleepTimes: CustomStringConvertible {
    var description: String {
        "\(LocalTimes.clock(from)) to \(LocalTimes.clock(until)) in \(place.rawValue)"
    }
}

extension Step.Place {
    private static let zones = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, TimeZone(identifier: $0.rawValue) ?? .gmt) })

    var zone: TimeZone { Self.zones[self] ?? .gmt }
}
