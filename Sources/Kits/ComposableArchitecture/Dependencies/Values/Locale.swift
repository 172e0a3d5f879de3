import Foundation

extension DependencyValues {
    /// The calendar to reckon days with. A test that uses it has to set it.
    public var calendar: Calendar {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }

    /// The locale to write numbers, dates and names in. A test that uses it has to set it.
    public var locale: Locale {
        get { self[LocaleKey.self] }
        set { self[LocaleKey.self] = newValue }
    }

    /// The time zone to tell the time in. A test that uses it has to set it.
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
