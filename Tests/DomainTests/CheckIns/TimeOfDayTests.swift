import Foundation
import Testing

@testable import Domain

@Suite struct TimeOfDayTests {
    @Test(arguments: [
        ("00:00", 0), ("0:00", 0), ("7:30", 450), ("07:30", 450), ("23:59", 1439),
    ])
    func timesAreParsed(text: String, minutes: Int) {
        #expect(TimeOfDay(text)?.minutes == minutes)
    }

    @Test(arguments: [
        "", ":", "7", "7:3", "7:300", "007:30", "24:00", "7:60", "-1:30", "+7:30", "7.30", "7:30 ",
        " 7:30", "07:30:00", "७:३०", "٠٧:٣٠",
    ])
    func otherTextIsRejected(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    @Test(arguments: [(-1, false), (0, true), (1439, true), (1440, false)])
    func minutesAreThoseOfADay(minutes: Int, isAccepted: Bool) {
        #expect((TimeOfDay(minutes: minutes) != nil) == isAccepted)
    }

    @Test func everyTimeRoundTripsAsText() throws {
        for minutes in 0..<1440 {
            let time = try #require(TimeOfDay(minutes: minutes))
            #expect(TimeOfDay(time.text) == time)
            let json = try JSONEncoder().encode(time)
            #expect(try JSONDecoder().decode(TimeOfDay.self, from: json) == time)
        }
        #expect(clock("7:05").text == "07:05")
    }

    /// The API promises `TimeOfDay.pattern`.
    @Test(arguments: [#""7:30""#, #""24:00""#, "450", "null", "{}"])
    func otherJSONIsRejected(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TimeOfDay.self, from: Data(json.utf8))
        }
    }

    @Test(arguments: [
        ("10:00", "04:00", 360), ("02:00", "20:00", 360), ("10:00", "09:59", 1),
        ("10:00", "10:00", 1440), ("10:00", "10:01", 1439), ("00:00", "23:30", 30),
    ])
    func openingIsEarlierPerhapsTheDayBefore(deadline: String, opening: String, minutes: Int) {
        #expect(clock(deadline).minutes(since: clock(opening)) == minutes)
    }

    @Test(arguments: [
        ("10:00", 360, "04:00"), ("02:00", 360, "20:00"), ("10:00", 1440, "10:00"),
        ("00:00", 1, "23:59"), ("10:00", 0, "10:00"), ("23:00", -120, "01:00"),
    ])
    func earlierWrapsAroundMidnight(time: String, minutes: Int, earlier: String) {
        #expect(clock(time).earlier(byMinutes: minutes).text == earlier)
    }

    @Test func weekBeginsOnMonday() {
        #expect(Weekday.allCases.map(\.index) == Array(0..<7))
        #expect(Weekday.monday < .sunday)
        #expect(Weekday.monday.word == "Monday" && Weekday.thursday.shortWord == "Thu")
    }

    /// 1 January 1970 was a Thursday, 1 March 2026 a Sunday.
    @Test(arguments: [
        (0, Weekday.thursday), (-1, .wednesday), (-4, .sunday), (4, .monday), (20_513, .sunday),
        (-700, .thursday),
    ])
    func weekdayOfADay(day: Int, weekday: Weekday) {
        #expect(CalendarDay.weekday(ofDay: day) == weekday)
    }
}
