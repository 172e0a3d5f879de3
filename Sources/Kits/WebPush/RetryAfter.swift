import Foundation

/// Parses the header `Retry-After` (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// The maximum delay: a push service can't delay a browser's messages by more than a day.
    static let limit: Duration = .seconds(86_400)

    /// Returns the requested delay; zero if the value is missing, in the past, or invalid.
    public static func pause(_ value: String?, now: Date) -> Duration {
        guard let value, value.utf8.count <= 64 else { return .zero }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that overflows is a long delay, too.
            return min(Int64(value).map { .seconds($0) } ?? limit, limit)
        }
        guard let date = date(value, now: now) else { return .zero }
        let seconds = min(max(date.timeIntervalSince(now).rounded(.up), 0), 86_400)
        return .seconds(seconds)
    }

    /// Parses the three forms of an HTTP date (RFC 9110, section 5.6.7).
    public static func date(_ text: String, now: Date) -> Date? {
        let modern = #/\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/#
        let old = #/\w{6,9}, (\d\d)-(\w{3})-(\d\d) (\d\d):(\d\d):(\d\d) GMT/#
        let unix = #/\w{3} (\w{3}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})/#
        if let match = text.wholeMatch(of: modern)?.output {
            return date(
                year: Int(match.3), month: match.2, day: match.1,
                time: [match.4, match.5, match.6])
        }
        if let match = text.wholeMatch(of: old)?.output {
            return date(
                year: Int(match.3).map { fullYear($0, now: now) }, month: match.2, day: match.1,
                time: [match.4, match.5, match.6])
        }
        if let match = text.wholeMatch(of: unix)?.output {
            return date(
                year: Int(match.6), month: match.1, day: match.2,
                time: [match.3, match.4, match.5])
        }
        return nil
    }

    private static func date(
        year: Int?, month: Substring, day: Substring, time: [Substring]
    ) -> Date? {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let numbers = time.compactMap { Int($0) }
        guard let year, let month = months.firstIndex(of: String(month)),
            let day = Int(day.trimmingCharacters(in: .whitespaces)), numbers.count == 3,
            (0...23).contains(numbers[0]), (0...59).contains(numbers[1]),
            // The second 60 is a leap second.
            (0...60).contains(numbers[2])
        else { return nil }
        let parts = DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: year,
            month: month + 1, day: day, hour: numbers[0], minute: numbers[1], second: numbers[2])
        guard let date = parts.date,
            // The calendar turns February 30th into March 2nd.
            parts.calendar?.dateComponents(in: .gmt, from: date).day == day || numbers[2] == 60
        else { return nil }
        return date
    }

    /// Returns the full year of two digits. A year more than 50 years ahead counts as past.
    private static func fullYear(_ digits: Int, now: Date) -> Int {
        let calendar = Calendar(identifier: .gregorian)
        let current = calendar.dateComponents(in: .gmt, from: now).year ?? 2_000
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }
}
