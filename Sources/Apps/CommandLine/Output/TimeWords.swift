import Domain
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

    /// Returns ` (20:05 JST for them)` if the person is in another zone; otherwise an empty text.
    func theirs(_ date: Date, _ watch: ContactData.WatchedState) -> String {
        let zone = ClockZone(calendar.timeZone.identifier)
        return watch.theirTime(date, readIn: zone, at: now).map { " (\($0))" } ?? ""
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

    /// `10:02, 3 minutes ago`.
    func past(_ date: Date) -> String { "\(moment(date)), \(ago(date))" }

    /// `3 minutes ago`. A future time, from a clock that is a little ahead, counts as now.
    func ago(_ date: Date) -> String {
        let seconds = Self.seconds(now.since(date))
        return seconds < 1 ? "just now" : "\(Self.span(seconds)) ago"
    }

    /// `tomorrow 10:02, 23 h 59 min left`, or the time since the deadline.
    func deadline(_ date: Date) -> String {
        let seconds = Self.seconds(date.since(now))
        return seconds > 0
            ? "\(moment(date)), \(Self.span(seconds)) left"
            : "\(moment(date)), \(Self.span(-seconds)) over"
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

    static func words(_ seconds: Int) -> String {
        seconds < 48 * 3600 && seconds % 3600 == 0
            ? TimeWords.count(seconds / 3600, "hour") : TimeWords.span(seconds)
    }
}
