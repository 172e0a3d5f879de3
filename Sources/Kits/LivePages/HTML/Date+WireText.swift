import Foundation

extension Date {
    /// Whole milliseconds since 1970 UTC, rounded to the nearest.
    var wholeMilliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }

    /// RFC 3339 in UTC with milliseconds, as the script reads it: `2026-01-31T08:00:00.000Z`.
    var wireText: String {
        let time = wholeMilliseconds.floored(by: 86_400_000)
        let (year, month, day) = Self.calendarDay(time.quotient)
        let (hour, minute) = (time.rest / 3_600_000, time.rest / 60_000 % 60)
        let (second, fraction) = (time.rest / 1000 % 60, time.rest % 1000)
        return "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))T"
            + "\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2)).\(fraction.digits(3))Z"
    }

    /// The time of day in UTC: `10:02 UTC`.
    var clockTime: String {
        let minute = wholeMilliseconds.floored(by: 86_400_000).rest / 60_000
        return "\((minute / 60).digits(2)):\((minute % 60).digits(2)) UTC"
    }

    /// The date of a day since 1970-01-01 (Howard Hinnant, `civil_from_days`).
    private static func calendarDay(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, ofEra) = (days + 719_468).floored(by: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * ofYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        let day = ofYear - (153 * index + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func floored(by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    fileprivate func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
    }
}
