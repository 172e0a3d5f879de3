import Foundation
import Testing

@testable import Domain

@Suite struct ClockZoneTests {
    /// Both sides of both changes of 2026, and zones that differ from UTC by no whole hours.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29T00:59:59Z", "01:59 CET"),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", "03:00 CEST"),
        ("Europe/Berlin", "2026-10-25T00:59:59Z", "02:59 CEST"),
        ("Europe/Berlin", "2026-10-25T01:00:00Z", "02:00 CET"),
        ("America/New_York", "2026-03-08T06:59:59Z", "01:59 EST"),
        ("America/New_York", "2026-03-08T07:00:00Z", "03:00 EDT"),
        ("America/New_York", "2026-11-01T05:59:59Z", "01:59 EDT"),
        ("America/New_York", "2026-11-01T06:00:00Z", "01:00 EST"),
        ("Europe/London", "2026-01-31T23:30:00Z", "23:30 GMT"),
        ("Europe/London", "2026-06-30T23:30:00Z", "00:30 BST"),
        ("Asia/Kathmandu", "2026-03-01T12:00:00Z", "17:45 UTC+5:45"),
        // The names of browsers that keep to the old ones.
        ("Asia/Katmandu", "2026-03-01T12:00:00Z", "17:45 UTC+5:45"),
        ("Asia/Calcutta", "2026-03-01T20:00:00Z", "01:30 UTC+5:30"),
        ("America/St_Johns", "2026-03-01T00:00:00Z", "20:30 UTC-3:30"),
        ("Pacific/Kiritimati", "2026-03-01T12:00:00Z", "02:00 UTC+14"),
        ("America/Argentina/Buenos_Aires", "2026-03-01T12:00:00Z", "09:00 UTC-3"),
    ])
    func theTimeOfDayIsThatOfTheZoneAtThatMoment(name: String, moment: String, text: String) throws
    {
        let zone = try #require(ClockZone(name))
        let date = try #require(Timestamp.date(moment))
        #expect(Timestamp.clockTime(date, in: zone) == text)
        #expect(zone.name == name)
    }

    @Test(arguments: [
        "", "UTC", "GMT", "Etc/UTC", "Etc/GMT+5", "CET", "Berlin", "Foo/Bar", "Europe/", "/Berlin",
        "Europe//Berlin", "Europe/Berlin ", " Europe/Berlin", "Europe/Berlín", "../../etc/passwd",
        "Europe/Berlin\0", "Europe/\u{202E}Berlin", "undefined", "+05:30", "GMT+0530",
        "Europe/" + String(repeating: "x", count: 100),
    ])
    func whatIsNoPlaceIsNoZone(name: String) {
        #expect(ClockZone(name) == nil)
    }

    @Test func withoutAZoneItIsUTC() {
        #expect(Timestamp.clockTime(noon, in: nil) == "12:00 UTC")
    }

    @Test func eachReaderSeesTheMomentsOfATextInTheirZone() throws {
        let text = NotificationText.checkedIn(
            name: "Ada", occurredAt: noon.adding(.minutes(-118)),
            receivedAt: noon.adding(.minutes(-80)))
        let berlin = try #require(ClockZone("Europe/Berlin"))
        #expect(text.body(in: berlin) == "Ada checked in at 11:02 CET, received 11:40 CET.")
        #expect(text.body == "Ada checked in at 10:02 UTC, received 10:40 UTC.")
    }

    /// A name may look like anything.
    @Test func nothingInANameIsTakenForATime() throws {
        let text: TimedText = "\("\\(clock: 0)") at \(clock: noon)"
        #expect(text.text(in: nil) == "\\(clock: 0) at 12:00 UTC")
        #expect(("a" + text).text(in: nil).hasPrefix("a\\(clock"))
    }

    /// Every text with a time in it changes with the zone, and none of the others.
    @Test func everyTimeIsGivenInTheZone() throws {
        let berlin = try #require(ClockZone("Europe/Berlin"))
        for text in try NotificationTextTests.all(name: "Ada") {
            #expect(!text.body(in: berlin).contains("UTC"))
            #expect((text.body == text.body(in: berlin)) == !text.body.contains("UTC"))
        }
    }
}
