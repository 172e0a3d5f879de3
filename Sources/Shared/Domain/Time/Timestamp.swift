import Foundation

/// Time in LifeSignal is whole milliseconds since 1970 UTC, so that a moment survives the database
/// and the wire unchanged.
extension Date {
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Whole milliseconds since 1970 UTC, rounded to the nearest.
    public var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    public func adding(_ duration: Duration) -> Date {
        Date(milliseconds: milliseconds + duration.milliseconds)
    }

    /// How long after `earlier` this moment is; negative when it is before.
    public func since(_ earlier: Date) -> Duration {
        .milliseconds(milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    public static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    public static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }

    /// Whole milliseconds, towards zero.
    public var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    public var inSeconds: Double { Double(milliseconds) / 1000 }
}

/// Moments as RFC 3339 text with milliseconds in UTC: `2026-01-31T08:00:00.000Z`.
public enum Timestamp {
    private static let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    /// Years outside 2000 to 2099 are slips of a keyboard or a broken clock, never a check-in.
    private static let accepted: Range<Int64> = 946_684_800_000..<4_102_444_800_000

    public static func text(_ date: Date) -> String {
        // The style cuts: a whole millisecond that a Double holds as a hair less would lose one
        // without the quarter.
        Date(milliseconds: date.milliseconds).addingTimeInterval(0.000_25).formatted(withFraction)
    }

    /// Reads RFC 3339 with or without a fraction, at any offset; nil for other text and for years
    /// before 2000 or after 2099.
    public static func date(_ text: String) -> Date? {
        guard (20...35).contains(text.utf8.count) else { return nil }
        var reader = TimestampReader(rest: text.utf8[...])
        guard let milliseconds = reader.milliseconds(), accepted.contains(milliseconds) else {
            return nil
        }
        return Date(milliseconds: milliseconds)
    }

    /// True if the text is RFC 3339, whatever its year.
    public static func isTime(_ text: String) -> Bool {
        guard (20...35).contains(text.utf8.count) else { return false }
        var reader = TimestampReader(rest: text.utf8[...])
        return reader.milliseconds() != nil
    }

    /// The time of day as a person reads it in a message, in the reader's zone: `11:02 CET`. In UTC
    /// where the zone is not known: `10:02 UTC`.
    public static func clockTime(_ date: Date, in zone: ClockZone? = nil) -> String {
        zone?.time(date) ?? "\(timeOfDay(date, offset: 0)) UTC"
    }

    /// `10:02`.
    /// - Parameter offset: in seconds, east of Greenwich.
    static func timeOfDay(_ date: Date, offset: Int) -> String {
        let minutes = (date.milliseconds + Int64(offset) * 1000) / 60_000
        let (hour, minute) = (minutes % 1440 / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
