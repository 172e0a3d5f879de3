import Domain
import Features
import Foundation

/// Times in words, relative to `now` and in the reader's time zone.
struct TimeWords: Sendable {
    var now: Date
    private let calendar: Calendar

    init(now: Date, zone: TimeZone) {
        self.now = now
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        self.calendar = calendar
    }

    /// `10:02`, `tomorrow 10:02`, `24 Nov 10:02`, `24 Nov 2025 10:02`.
    func moment(_ date: Date) -> String {
        let time = clock(date)
        if calendar.isDate(date, inSameDayAs: now) { return time }
        for (days, word) in [(1, "tomorrow"), (-1, "yesterday")] {
            if let day = calendar.date(byAdding: .day, value: days, to: now),
                calendar.isDate(date, inSameDayAs: day)
            {
                return "\(word) \(time)"
            }
        }
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let day = "\(parts.day ?? 0) \(Self.months[max(0, (parts.month ?? 1) - 1) % 12])"
        return parts.year == calendar.component(.year, from: now)
            ? "\(day) \(time)" : "\(day) \(parts.year ?? 0) \(time)"
    }

    /// The same on the clock of another time zone: `18:00 Berlin time (17:00 here)`.
    /// - Parameter zone: an IANA name; nil for the reader's time zone.
    func moment(_ date: Date, in zone: String?) -> String {
        guard let name = zone, let zone = other(name, at: date) else { return moment(date) }
        let there = TimeWords(now: now, zone: zone).moment(date)
        return "\(there) \(ClockZone.placeWords(name)) time (\(moment(date)) here)"
    }

    /// Returns the zone with this IANA name; nil if its clocks show the reader's time.
    private func other(_ name: String, at date: Date) -> TimeZone? {
        guard let zone = TimeZone(identifier: name),
            zone.secondsFromGMT(for: date) != calendar.timeZone.secondsFromGMT(for: date)
        else { return nil }
        return zone
    }

    /// `today 10:02`, `tomorrow 10:02`, `Monday 10:02`; with a date from a week on: `Monday 7 Dec
    /// 10:02`. For times that are not long ago.
    func day(_ date: Date) -> String {
        if calendar.isDate(date, inSameDayAs: now) { return "today \(clock(date))" }
        let (start, end) = (calendar.startOfDay(for: now), calendar.startOfDay(for: date))
        let distance = calendar.dateComponents([.day], from: start, to: end).day ?? 0
        guard abs(distance) > 1 else { return moment(date) }
        // The calendar counts from Sunday, which is 1.
        let weekday = Weekday.allCases[(calendar.component(.weekday, from: date) + 5) % 7].word
        return "\(weekday) \(abs(distance) < 7 ? clock(date) : moment(date))"
    }

    /// The same on the clock of another time zone: `Monday 10:02 (Monday 09:02 here)`.
    /// - Parameter zone: an IANA name; nil for the reader's time zone.
    func day(_ date: Date, in zone: String?) -> String {
        guard let zone = zone.flatMap({ other($0, at: date) }) else { return day(date) }
        return "\(TimeWords(now: now, zone: zone).day(date)) (\(day(date)) here)"
    }

    func isSameDay(_ one: Date, _ other: Date) -> Bool {
        calendar.isDate(one, inSameDayAs: other)
    }

    /// Returns ` (20:05 JST for them)` if the person is in another zone; otherwise an empty text.
    func theirs(_ date: Date, _ watch: ContactData.WatchedState) -> String {
        watch.theirTime(date, readIn: calendar.timeZone, at: now).map { " (\($0))" } ?? ""
    }

    /// `10:02`.
    func clock(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return "\(Self.twoDigits(parts.hour)):\(Self.twoDigits(parts.minute))"
    }

    /// `10:02:07`, for a log line.
    func second(_ date: Date) -> String {
        "\(clock(date)):\(Self.twoDigits(calendar.component(.second, from: date)))"
    }

    /// `10:02:07`, `yesterday 10:02:07`, for a step of a timeline.
    func momentWithSeconds(_ date: Date) -> String {
        "\(moment(date)):\(Self.twoDigits(calendar.component(.second, from: date)))"
    }

    /// `10:02, 3 minutes ago`.
    func past(_ date: Date) -> String { "\(moment(date)), \(ago(date))" }

    /// `3 minutes ago`. A future time, from a clock that is a little ahead, counts as now.
    func ago(_ date: Date) -> String {
        let seconds = Self.seconds(now.since(date))
        return seconds < 1 ? "just now" : "\(Self.span(seconds)) ago"
    }

    /// `tomorrow 10:02, 23 h 59 min left`, or the time since the deadline.
    /// - Parameter zone: see `moment`.
    func deadline(_ date: Date, in zone: String? = nil) -> String {
        let seconds = Self.seconds(date.since(now))
        let time = moment(date, in: zone)
        return seconds > 0
            ? "\(time), \(Self.span(seconds)) left" : "\(time), \(Self.span(-seconds)) over"
    }

    /// `5 seconds`, `3 minutes`, `5 h 20 min`, `2 days 3 h`.
    static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: return count(max(0, seconds), "second")
        case ..<3600: return count(seconds / 60, "minute")
        case ..<86_400:
            let minutes = seconds % 3600 / 60
            return minutes == 0
                ? count(seconds / 3600, "hour") : "\(seconds / 3600) h \(minutes) min"
        default:
            let hours = seconds % 86_400 / 3600
            return hours == 0
                ? count(seconds / 86_400, "day") : "\(count(seconds / 86_400, "day")) \(hours) h"
        }
    }

    static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }

    private static func twoDigits(_ number: Int?) -> String {
        String((number ?? 0) + 100).suffix(2).description
    }
}

/// Parses an interval as a person types it: `24h`, `90m`, `7d`, `30s`.
enum IntervalText {
    static func seconds(_ text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = text.last, let unit = units[Character(last.lowercased())],
            let number = Int(text.dropLast()), number > 0, number < 1_000_000
        else {
            return nil
        }
        return number * unit
    }
}

/// Parses the time of a check-in as a person types it: `10:00`, `07:00@mon-fri`, `21:00@sat,sun`.
enum WindowText {
    /// - Parameter lead: minutes from the opening to the deadline; nil for the default.
    static func window(_ text: String, lead: Int? = nil) -> CheckInWindow? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let deadline = TimeOfDay(String(first)),
            let days = parts.count == 1 ? Set<Weekday>.everyDay : weekdays(String(parts[1]))
        else { return nil }
        return CheckInWindow(
            days: days, opens: lead.map { deadline.earlier(byMinutes: $0) }, deadline: deadline)
    }

    /// Reads `mon-fri`, `sat,sun`, `fri-mon,wednesday`.
    private static func weekdays(_ text: String) -> Set<Weekday>? {
        var days: Set<Weekday> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count <= 2, let first = ends.first.flatMap(weekday),
                let last = ends.last.flatMap(weekday)
            else { return nil }
            let length = (last.index - first.index + 7) % 7
            for step in 0...length { days.insert(Weekday.allCases[(first.index + step) % 7]) }
        }
        return days
    }

    private static func weekday(_ text: Substring) -> Weekday? {
        text.count < 3 ? nil : Weekday.allCases.first { $0.rawValue.hasPrefix(text) }
    }
}

/// The return of a journey as a person types it: `18:00`, `+2h`, `2026-11-28 18:00`.
enum ReturnText: Equatable {
    case after(Duration)
    /// A time of today or, if it is past, of tomorrow.
    case clock(TimeOfDay)
    /// For `ClockZone.moment(ofLocalText:)`.
    case local(String)

    /// Returns nil for other text.
    init?(_ text: String) {
        if text.hasPrefix("+") {
            guard let seconds = IntervalText.seconds(String(text.dropFirst())) else { return nil }
            self = .after(.seconds(seconds))
        } else if let time = TimeOfDay(text) {
            self = .clock(time)
        } else {
            guard let local = LocalTimeText.normalized(text) else { return nil }
            self = .local(local)
        }
    }

    /// - Parameter start: the beginning of `after`.
    func moment(at now: Date, from start: Date, in zone: ClockZone) -> Date? {
        switch self {
        case .after(let length): return start.adding(length)
        case .local(let text): return zone.moment(ofLocalText: text)
        case .clock(let time):
            let today = String(zone.localText(of: now).prefix(10))
            // Days are counted without a zone, because a day can have 23 or 25 hours.
            let tomorrow = Timestamp.date("\(today)T00:00:00Z").map {
                String(Timestamp.text($0.adding(.days(1))).prefix(10))
            }
            return [today, tomorrow].compactMap(\.self)
                .compactMap { zone.moment(ofLocalText: "\($0)T\(time.text)") }
                .first { $0 > now }
        }
    }
}

/// Parses sleep hours as a person types them: `22:00-07:00`.
enum SleepText {
    /// The word that removes sleep hours.
    static let off = "off"

    static func times(_ text: String) -> (from: TimeOfDay, until: TimeOfDay)? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = TimeOfDay(String(ends[0])),
            let until = TimeOfDay(String(ends[1]))
        else { return nil }
        return (from, until)
    }
}

/// Parses a local date and time as a person types it: `2026-11-28 08:00`.
enum LocalTimeText {
    /// Returns the text for `ClockZone.moment(ofLocalText:)`; nil for other text.
    static func normalized(_ text: String) -> String? {
        let normal = text.replacing(" ", with: "T")
        return normal.utf8.count == 16 && Timestamp.date("\(normal):00Z") != nil ? normal : nil
    }
}
