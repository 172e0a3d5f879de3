import Foundation

/// A month of the Gregorian calendar, such as November 2026.
public struct CalendarMonth: Hashable, Comparable, Sendable {
    public let year: Int
    /// 1 to 12.
    public let month: Int

    private init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// Reads "2026-11". Returns nil for other text.
    public init?(_ text: String) {
        guard text.utf8.count == 7, let date = Timestamp.date("\(text)-01T00:00:00Z") else {
            return nil
        }
        self.init(containing: date, in: .gmt)
    }

    public init(containing date: Date, in zone: TimeZone) {
        let parts = CalendarDay(date, offset: zone.secondsFromGMT(for: date)).parts
        self.init(year: parts.year, month: parts.month)
    }

    public var next: CalendarMonth {
        month == 12
            ? CalendarMonth(year: year + 1, month: 1) : CalendarMonth(year: year, month: month + 1)
    }

    public var previous: CalendarMonth {
        month == 1
            ? CalendarMonth(year: year - 1, month: 12) : CalendarMonth(year: year, month: month - 1)
    }

    /// "November 2026".
    public var words: String { "\(name) \(year)" }

    /// "November".
    public var name: String { CalendarDay.months[month - 1] }

    /// "2026-11".
    public var text: String { String(Timestamp.text(start(in: .gmt)).prefix(7)) }

    /// Returns the first moment of the month in a zone.
    public func start(in zone: TimeZone) -> Date {
        ClockZone(any: zone).moments(day: firstDay, minute: 0).first
    }

    /// Days from 1 January 1970 to the first day.
    var firstDay: Int { Int(TimestampReader.days(before: Int64(year), Int64(month))) }

    var dayCount: Int { next.firstDay - firstDay }

    public static func < (one: CalendarMonth, other: CalendarMonth) -> Bool {
        (one.year, one.month) < (other.year, other.month)
    }
}
