import Domain
import Features
import Foundation

/// A month of check-ins as a calendar, with a legend.
struct MonthText {
    var calendar: CheckInMonth
    var zone: TimeZone
    var now: Date

    /// - Parameter day: the day whose check-ins follow; nil for none.
    func lines(day: Int?) -> [String] {
        let title = "\(calendar.month.words), by the clock of \(zone.identifier)"
        let head = Weekday.allCases.map { "\($0.shortWord)  " }.joined()
        let weeks = calendar.weeks.map { $0.map(cell).joined() }
        let isToday = calendar.days.contains(where: \.isToday)
        let legend =
            calendar.legend.map { "\($0.symbol) \($0.explanation)" } + (isToday ? ["* today"] : [])
        return ([title, "", head] + weeks + [""] + legend + list(calendar.day(day))).map(trimmed)
    }

    /// Five characters: the number, the mark, and a star for today.
    private func cell(_ day: CheckInMonth.Day?) -> String {
        guard let day else { return "     " }
        let number = day.number < 10 ? " \(day.number)" : "\(day.number)"
        return "\(number)\(day.mark.symbol)\(day.isToday ? "*" : " ") "
    }

    private func list(_ day: CheckInMonth.Day?) -> [String] {
        guard let day else { return [] }
        let words = TimeWords(now: now, zone: zone)
        let times = day.checkIns.map { checkIn in
            let late = checkIn.cameLate ? ", received \(words.moment(checkIn.receivedAt))" : ""
            let source = checkIn.sourceWords.map { " \(Plain.line($0))" } ?? ""
            return "  \(words.clock(checkIn.occurredAt))\(source)\(late)"
        }
        return ["", day.words(in: calendar.month)]
            + (times.isEmpty ? ["  \(CheckInMonthFeature.State.noCheckInsWords)"] : times)
    }

    private func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
