import Foundation

/// Parses dates of HTTP headers.
public enum HTTPDate {
    /// Parses the three forms of an HTTP date (RFC 9110, section 5.6.7).
    public static func date(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
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
                year: Int(match.3).map(fullYear), month: match.2, day: match.1,
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

    /// The years of the form with two digits. A year more than 50 years ahead counts as past.
    private static let shortYears = 1_978...2_077

    private static func fullYear(_ digits: Int) -> Int {
        let year = 2_000 + digits
        return shortYears.contains(year) ? year : year - 100
    }
}
