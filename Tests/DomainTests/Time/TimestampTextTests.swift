import Foundation
import SeededGenerator
import Testing

@testable import Domain

@Suite struct TimestampTextTests {
    @Test func textIsRFC3339WithMillisecondsInUTC() {
        #expect(Timestamp.text(noon) == "2026-03-01T12:00:00.000Z")
        #expect(Timestamp.text(noon.aMillisecondAfter) == "2026-03-01T12:00:00.001Z")
        #expect(Timestamp.text(noon.aMillisecondBefore) == "2026-03-01T11:59:59.999Z")
        #expect(Timestamp.text(Date(milliseconds: 0)) == "1970-01-01T00:00:00.000Z")
    }

    @Test(
        "every millisecond of a second round-trips",
        arguments: [
            "2000-01-01T00:00:00.000Z", "2024-02-29T23:59:59.000Z", "2026-03-01T12:00:00.000Z",
            "2038-01-19T03:14:07.000Z",
            "2099-12-31T23:59:59.000Z",
        ])
    func everyMillisecond(ofSecond text: String) throws {
        let start = try #require(Timestamp.date(text))
        let lost = (0..<1000).filter { offset in
            let moment = start.adding(.milliseconds(offset))
            return Timestamp.date(Timestamp.text(moment)) != moment
                || Timestamp.text(moment)
                    != text.replacing(".000Z", with: ".\(String(1000 + offset).dropFirst())Z")
        }
        #expect(lost == [])
    }

    @Test(arguments: 0..<8)
    func anyMillisecondOfTheCenturyRoundTrips(seed: Int) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_500 {
            let moment = Date(
                milliseconds: .random(in: 946_684_800_000..<4_102_444_800_000, using: &random))
            guard Timestamp.date(Timestamp.text(moment)) == moment else {
                Issue.record("\(moment.milliseconds) came back as \(Timestamp.text(moment))")
                return
            }
        }
    }

    /// The machine's clock is more precise than a millisecond. Wire and database must round alike.
    @Test(arguments: [0, 1, 249, 251, 499, 501, 749, 751, 999])
    func wireAndDatabaseRoundAlike(microseconds: Int) {
        let fine = noon.addingTimeInterval(Double(microseconds) / 1_000_000)
        #expect(fine.milliseconds == noon.milliseconds + (microseconds < 500 ? 0 : 1))
        #expect(Timestamp.date(Timestamp.text(fine))?.milliseconds == fine.milliseconds)
    }

    @Test(
        arguments: [
            (-720, "00:00 UTC"), (-175, "09:05 UTC"), (-118, "10:02 UTC"), (0, "12:00 UTC"),
            (719, "23:59 UTC"), (720, "00:00 UTC"),
        ])
    func clockTimeIsTheTimeOfDayInUTC(minutesFromNoon: Int, text: String) {
        #expect(Timestamp.clockTime(noon.adding(.minutes(minutesFromNoon))) == text)
    }

    @Test func clockTimeTurnsWithTheMinute() {
        #expect(Timestamp.clockTime(noon.aMillisecondBefore) == "11:59 UTC")
        #expect(Timestamp.clockTime(noon) == "12:00 UTC")
    }
}
