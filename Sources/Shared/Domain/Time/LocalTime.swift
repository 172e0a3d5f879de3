/// A time of day on a clock, in whole minutes.
public struct TimeOfDay: Hashable, Comparable, Sendable {
    /// Minutes after midnight, 0 to 1,439.
    public let minutes: Int

    /// Returns nil unless 0 ≤ minutes < 1,440.
    public init?(minutes: Int) {
        guard (0..<Self.minutesPerDay).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// Reads "07:30" or "7:30". Returns nil for other text and for times that no clock shows.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({
                $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.minutes = hour * 60 + minute
    }

    /// Returns an earlier time of day, perhaps on the day before.
    public func earlier(byMinutes count: Int) -> TimeOfDay {
        let rest = (minutes - count) % Self.minutesPerDay
        return TimeOfDay(wrapped: rest < 0 ? rest + Self.minutesPerDay : rest)
    }

    /// The minutes from an earlier time of day to this one; 1 to 1,440, because the same time is a
    /// day earlier.
    public func minutes(since opening: TimeOfDay) -> Int {
        let difference = minutes - opening.minutes
        return difference > 0 ? difference : difference + Self.minutesPerDay
    }

    /// "07:30".
    public var text: String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    public static func < (one: TimeOfDay, other: TimeOfDay) -> Bool { one.minutes < other.minutes }

    static let minutesPerDay = 1440

    private init(wrapped: Int) { minutes = wrapped }
}

extension TimeOfDay: Codable {
    /// The pattern of the text that a clock shows with two digits for hours and minutes.
    public static let pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let time = TimeOfDay(text), time.text == text else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "must be a time, such as 07:30"))
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

public enum Weekday: String, Codable, CaseIterable, Comparable, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// 0 for Monday.
    public var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (one: Weekday, other: Weekday) -> Bool { one.index < other.index }

    /// "Mon".
    public var shortWord: String { String(word.prefix(3)) }
    /// "Monday".
    public var word: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension Set<Weekday> {
    public static var everyDay: Self { Set(Weekday.allCases) }
}
