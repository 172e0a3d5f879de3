import Foundation

/// Times are whole milliseconds since 1970 UTC. The database and the wire preserve them exactly.
extension Date {
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Whole milliseconds since 1970 UTC, rounded to the nearest.
    public var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    public func adding(_ duration: Duration) -> Date {
        Date(milliseconds: milliseconds + duration.milliseconds)
    }

    /// Returns the time from `earlier` to this moment; negative if this moment is earlier.
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

    /// True for a delay of more than a minute, which messages and screens mention.
    public var isLate: Bool { self > .minutes(1) }
}

/// Converts moments to RFC 3339 text in UTC with milliseconds: `2026-01-31T08:00:00.000Z`.
public enum Timestamp {
    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    /// The years 2000 to 2099. Other years come from typing errors or broken clocks.
    private static let accepted: Range<Int64> = 946_684_800_000..<4_102_444_800_000

    public static func text(_ date: Date) -> String {
        // The style truncates. A Double can be slightly below its millisecond. The added quarter
        // keeps such a date from showing the previous millisecond.
        Date(milliseconds: date.milliseconds).addingTimeInterval(0.000_25).formatted(withFraction)
    }

    /// Parses RFC 3339 with or without a fraction, at any offset. Returns nil for other text, and
    /// for years outside 2000 to 2099.
    public static func date(_ text: String) -> Date? {
        deviceTime(text).flatMap { isPlausible($0) ? $0 : nil }
    }

    /// Parses RFC 3339 in any year, because a device's clock may start in 1970. Such a time can
    /// still tell how long ago a press was (`CheckInRules.moment`).
    public static func deviceTime(_ text: String) -> Date? {
        guard (20...35).contains(text.utf8.count) else { return nil }
        var reader = TimestampReader(rest: text.utf8[...])
        return reader.milliseconds().map { Date(milliseconds: $0) }
    }

    /// Returns true in the years 2000 to 2099.
    public static func isPlausible(_ date: Date) -> Bool { accepted.contains(date.milliseconds) }

    /// Returns the time of day for a message: `11:02 CET`, or `10:02 UTC` if the zone is unknown.
    public static func clockTime(_ date: Date, in zone: ClockZone? = nil) -> String {
        zone?.time(date) ?? "\(timeOfDay(date, offset: 0)) UTC"
    }

    /// Returns the time of day, and the day unless it is the reader's today: `11:02 CET on Sunday`.
    /// A date replaces an ambiguous weekday: `11:02 CET on 3 November`.
    /// - Parameter now: when the text is read.
    public static func clockTime(_ date: Date, in zone: ClockZone?, at now: Date) -> String {
        let time = clockTime(date, in: zone)
        let day = CalendarDay(date, offset: zone?.offset(at: date) ?? 0)
        let today = CalendarDay(now, offset: zone?.offset(at: now) ?? 0)
        return day == today ? time : "\(time) on \(day.name(on: today))"
    }

    /// - Parameter offset: seconds east of Greenwich.
    static func timeOfDay(_ date: Date, offset: Int) -> String {
        let minutes = (date.milliseconds + Int64(offset) * 1000) / 60_000
        let (hour, minute) = (minutes % 1440 / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
