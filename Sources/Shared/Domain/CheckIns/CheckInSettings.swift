public struct CheckInSettings: Codable, Equatable, Sendable {
    /// The interval in seconds. `IntervalLimits` says which intervals are accepted.
    public var intervalSeconds: Int
    public var remindTwoHoursBefore: Bool
    public var remindThirtyMinutesBefore: Bool

    public init(intervalSeconds: Int, remindTwoHoursBefore: Bool, remindThirtyMinutesBefore: Bool) {
        self.intervalSeconds = intervalSeconds
        self.remindTwoHoursBefore = remindTwoHoursBefore
        self.remindThirtyMinutesBefore = remindThirtyMinutesBefore
    }

    public static let standard = CheckInSettings(
        intervalSeconds: 24 * 3600, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true
    )

    public static let presets: [Duration] = [.hours(8), .hours(16), .hours(24), .hours(48)]

    public var interval: Duration { .seconds(intervalSeconds) }

    /// Returns the interval for a typed number of hours. Clamps the number only to prevent
    /// overflow; `IntervalLimits.check` rejects invalid intervals.
    public static func interval(typedHours hours: Int) -> Duration {
        .hours(min(max(hours, -1), 100_000))
    }

    /// The reminders that are on and whose lead is shorter than the interval.
    public var reminders: [Reminder] {
        Reminder.allCases.filter { isOn($0) && $0.lead < interval }
    }

    public func isOn(_ reminder: Reminder) -> Bool {
        switch reminder {
        case .twoHours: remindTwoHoursBefore
        case .thirtyMinutes: remindThirtyMinutesBefore
        }
    }
}

/// The accepted intervals. An operator can configure them: a demonstration server accepts seconds.
public struct IntervalLimits: Equatable, Sendable {
    public var seconds: ClosedRange<Int>

    public init(seconds: ClosedRange<Int>) { self.seconds = seconds }

    /// 1 hour to 7 days (product.md, "Check-in").
    public static let standard = IntervalLimits(seconds: 3600...604_800)
    /// 1 second to 7 days, for demonstrations only.
    public static let demonstration = IntervalLimits(seconds: 1...604_800)

    public func check(_ settings: CheckInSettings) throws(CommandError) {
        guard seconds.contains(settings.intervalSeconds) else {
            throw .invalidArgument(field: "intervalSeconds", refusal.message)
        }
    }

    public var refusal: RefusalWords {
        .interval((Self.words(seconds.lowerBound), Self.words(seconds.upperBound)))
    }

    /// Returns the duration in the largest unit that divides it: "7 days".
    private static func words(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3600, "hour"), (1, "second")]
        let (size, unit) =
            units.first { seconds.isMultiple(of: $0.0) && seconds >= $0.0 } ?? (1, "second")
        return seconds / size == 1 ? "1 \(unit)" : "\(seconds / size) \(unit)s"
    }
}

/// A reminder before the deadline (product.md, "Reminders").
public enum Reminder: Int, CaseIterable, Sendable {
    case twoHours = 1
    case thirtyMinutes = 2

    public var lead: Duration {
        switch self {
        case .twoHours: .hours(2)
        case .thirtyMinutes: .minutes(30)
        }
    }
}

/// The reminders sent for the current deadline. The raw value is a database column.
public struct SentReminders: OptionSet, Sendable, Equatable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public init(_ reminder: Reminder) { self.rawValue = reminder.rawValue }
}
