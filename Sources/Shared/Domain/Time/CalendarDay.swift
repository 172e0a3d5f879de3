import Foundation

/// A day of the Gregorian calendar in one place.
struct CalendarDay: Equatable {
    /// Days since 1 January 1970.
    private let number: Int

    /// - Parameter offset: seconds east of Greenwich at that moment.
    init(_ date: Date, offset: Int) {
        let seconds = Int((Double(date.milliseconds) / 1000).rounded(.down)) + offset
        number = Int((Double(seconds) / 86_400).rounded(.down))
    }

    /// - Parameter day: days since 1 January 1970, a Thursday.
    static func weekday(ofDay day: Int) -> Weekday {
        Weekday.allCases[((day + 3) % 7 + 7) % 7]
    }

    /// Returns the days since 1 January 1970 in a place.
    /// - Parameter offset: seconds east of Greenwich at that moment.
    static func number(_ date: Date, offset: Int) -> Int {
        CalendarDay(date, offset: offset).number
    }

    /// Returns the weekday of a day less than a week from today; otherwise the date. The date
    /// includes the year unless it is the current one.
    func name(on today: CalendarDay) -> String {
        if abs(number - today.number) < Weekday.allCases.count {
            return Self.weekday(ofDay: number).word
        }
        let (year, month, day) = parts
        let date = "\(day) \(Self.months[month - 1])"
        return year == today.parts.year ? date : "\(date) \(year)"
    }

    /// Computes the date in eras of 400 years and in years from March, so that leap days come last.
    var parts: (year: Int, month: Int, day: Int) {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}
