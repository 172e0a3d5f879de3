import Foundation

/// Times in LifeSignal are whole milliseconds since 1970 UTC, so that the database and the wire
/// preserve them.
extension Date {
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Whole milliseconds since 1970 UTC, rounded to the nearest.
    public var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    public func adding(_ duration: Duration) -> Date {
        Date(milliseconds: milliseconds + duration.milliseconds)
    }

    /// Returns how long after `earlier` this moment is; negative if it is before.
    public func since(_ earlier: Date) -> Duration {
        .milliseconds(milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    public static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    public static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }

    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    public var inSeconds: Double { Double(milliseconds) / 1000 }
}

/// Moments as RFC 3339 text with milliseconds in UTC: `2026-01-31T08:00:00.000Z`.
public enum Timestamp {
    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    /// The years 2000 to 2099. Others come from typing errors or broken clocks.
    private static let accepted: Range<Int64> = 946_684_800_000..<4_102_444_800_000

    public static func text(_ date: Date) -> String {
        // The style truncates. Without the added quarter of a millisecond, a date whose Double is
        // slightly too small would show the previous millisecond.
        Date(milliseconds: date.milliseconds).addingTimeInterval(0.000_25).formatted(withFraction)
    }

    /// Parses RFC 3339 with or without a fraction, at any offset. Returns nil for other text, and
    /// for years before 2000 or after 2099.
    public static func date(_ text: String) -> Date? {
        guard (20...35).contains(text.utf8.count) else { return nil }
        var reader = TimestampReader(rest: text.utf8[...])
        guard let milliseconds = reader.milliseconds(), accepted.contains(milliseconds) else {
            return nil
        }
        return Date(milliseconds: milliseconds)
    }

    /// Returns true if the text is RFC 3339, in any year.
    public static func isTime(_ text: String) -> Bool {
        guard (20...35).contains(text.utf8.count) else { return false }
        var reader = TimestampReader(rest: text.utf8[...])
        return reader.milliseconds() != nil
    }

    /// Returns the time of day for a message in the reader's zone: `11:02 CET`. An unknown zone
    /// gives UTC: `10:02 UTC`.
    public static func clockTime(_ date: Date, in zone: ClockZone? = nil) -> String {
        zone?.time(date) ?? "\(timeOfDay(date, offset: 0)) UTC"
    }

    /// Returns the time of day, with the weekday unless it is the reader's today: `11:02 CET on
    /// Sunday`. If the weekday would be ambiguous, the date replaces it: `11:02 CET on 3 November`.
    /// - Parameter now: the time of reading.
    public static func clockTime(_ date: Date, in zone: ClockZone?, at now: Date) -> String {
        let time = clockTime(date, in: zone)
        let day = CalendarDay(date, offset: zone?.offset(at: date) ?? 0)
        let today = CalendarDay(now, offset: zone?.offset(at: now) ?? 0)
        return day == today ? time : "\(time) on \(day.name(on: today))"
    }

    /// Returns `10:02`.
    /// - Parameter offset: seconds east of Greenwich.
    static func timeOfDay(_ date: Date, offset: Int) -> String {
        let minutes = (date.milliseconds + Int64(offset) * 1000) / 60_000
        let (hour, minute) = (minutes % 1440 / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
