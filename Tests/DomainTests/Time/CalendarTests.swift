import Foundation
import SeededGenerator
import Testing

@testable import Domain

/// Compares this project's dates with Foundation's calendar, an independent implementation.
@Suite struct CalendarTests {
    private static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    @Test func onlyCalendarDaysAreParsed() {
        var wrong: [String] = []
        for year in 2000...2099 {
            for month in 1...12 {
                for day in 28...31 {
                    let parts = DateComponents(
                        calendar: Self.utc, year: year, month: month, day: day, hour: 12)
                    let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day)T12:00:00Z"
                    let expected = parts.isValidDate ? parts.date : nil
                    if Timestamp.date(text) != expected { wrong.append(text) }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test func leapDaysComeEveryFourYearsAndIn2000() {
        #expect(Timestamp.date("2000-02-29T00:00:00Z") != nil)
        #expect(Timestamp.date("2024-02-29T00:00:00Z") != nil)
        #expect(Timestamp.date("2025-02-29T00:00:00Z") == nil)
        #expect(Timestamp.date("2096-02-29T00:00:00Z") != nil)
    }

    @Test(arguments: [-720, -570, -1, 0, 60, 345, 840])
    func foundationsOffsetsParseToTheSameMoment(offsetInMinutes: Int) throws {
        let zone = try #require(TimeZone(secondsFromGMT: offsetInMinutes * 60))
        let style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone)
        var random = SeededGenerator(seed: offsetInMinutes)
        for _ in 0..<500 {
            let moment = Date(
                milliseconds: 1000 * .random(in: 946_771_200..<4_102_358_400, using: &random))
            #expect(Timestamp.date(moment.formatted(style)) == moment)
        }
    }
}
