import Foundation
import Testing

@testable import LivePages

@Suite struct WireTextTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_772_366_400.007, "2026-03-01T12:00:00.007Z"),
        (951_782_399.9996, "2000-02-29T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        (4_107_542_399.999, "2100-02-28T23:59:59.999Z"),
    ])
    func timeIsWrittenWithMilliseconds(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).wireText == text)
    }

    /// Compares every 13th day of four centuries with Foundation's calendar.
    @Test func datesMatchFoundation() {
        let style = Date.ISO8601FormatStyle().year().month().day()
        for day in stride(from: -36_524, to: 109_573, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(String(date.wireText.prefix(10)) == date.formatted(style))
        }
    }

    @Test func timeOfDayIsInUTC() {
        #expect(Date(timeIntervalSince1970: 1_772_366_400).minuteText == "2026-03-01 12:00 UTC")
        #expect(Date(timeIntervalSince1970: -60).minuteText == "1969-12-31 23:59 UTC")
    }
}
