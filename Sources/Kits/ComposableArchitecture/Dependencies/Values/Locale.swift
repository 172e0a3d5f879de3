import Foundation

extension DependencyValues {
    /// The calendar for date calculations. A test that reads it must set it.
    public var calendar: Calendar {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }

    /// The locale for numbers, dates and names. A test that reads it must set it.
    public var locale: Locale {
        get { self[LocaleKey.self] }
        set { self[LocaleKey.self] = newValue }
    }

    /// The time zone for displayed times. A test that reads it must set it.
    public var timeZone: TimeZone {
        get { self[TimeZoneKey.self] }
        set { self[TimeZoneKey.self] = newValue }
    }

    private enum CalendarKey: DependencyKey {
        static var liveValue: Calendar { .autoupdatingCurrent }
    }

    private enum LocaleKey: DependencyKey {
        static var liveValue: Locale { .autoupdatingCurrent }
    }

    private enum TimeZoneKey: DependencyKey {
        static var liveValue: TimeZone { .autoupdatingCurrent }
    }
}
