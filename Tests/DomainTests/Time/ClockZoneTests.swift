import Foundation
import Testing

@testable import Domain

@Suite struct ClockZoneTests {
    /// Times around the clock changes of 2026, and zones whose offset isn't a whole hour.
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
        // Outdated names that browsers still report.
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

    @Test func textShowsTimesInTheReadersZone() throws {
        let text = NotificationText.checkedIn(
            name: "Ada", occurredAt: noon.adding(.minutes(-118)),
            receivedAt: noon.adding(.minutes(-80)))
        let berlin = try #require(ClockZone("Europe/Berlin"))
        #expect(
            text.body(in: berlin, at: noon) == "Ada checked in at 11:02 CET, received 11:40 CET.")
        #expect(text.body == "Ada checked in at 10:02 UTC, received 10:40 UTC.")
    }

    /// A person's name may contain the text of the time placeholder.
    @Test func nameIsNeverParsedAsATime() throws {
        let text: TimedText = "\("\\(clock: 0)") at \(clock: noon)"
        #expect(text.text(in: nil, at: noon) == "\\(clock: 0) at 12:00 UTC")
        #expect(("a" + text).text(in: nil, at: noon).hasPrefix("a\\(clock"))
    }

    /// The reader's zone changes every text with a time, and no other text.
    @Test func everyTimeIsGivenInTheZone() throws {
        let berlin = try #require(ClockZone("Europe/Berlin"))
        for text in try NotificationTextTests.all(name: "Ada") {
            let local = text.body(in: berlin, at: noon)
            #expect(!local.contains("UTC"))
            #expect((text.body == local) == !text.body.contains("UTC"))
        }
    }

    /// Reader's zone, moment, time of reading, and resulting text. The text names the day unless
    /// the reader's clock says that it is today.
    @Test(
        arguments: [
            (nil, "2026-03-01T00:00:00Z", "2026-03-01T23:59:59Z", "00:00 UTC"),
            (nil, "2026-03-01T23:59:59Z", "2026-03-02T00:00:00Z", "23:59 UTC on Sunday"),
            (nil, "2026-03-02T00:00:00Z", "2026-03-01T23:59:59Z", "00:00 UTC on Monday"),
            (nil, "2026-02-23T12:00:00Z", "2026-03-01T12:00:00Z", "12:00 UTC on Monday"),
            (nil, "2026-02-22T12:00:00Z", "2026-03-01T00:00:00Z", "12:00 UTC on 22 February"),
            (nil, "2026-03-08T12:00:00Z", "2026-03-01T12:00:00Z", "12:00 UTC on 8 March"),
            (nil, "2024-02-29T12:00:00Z", "2026-03-01T12:00:00Z", "12:00 UTC on 29 February 2024"),
            (nil, "2025-12-31T23:00:00Z", "2026-01-15T12:00:00Z", "23:00 UTC on 31 December 2025"),
            (nil, "2000-01-01T00:00:00Z", "2026-01-15T12:00:00Z", "00:00 UTC on 1 January 2000"),
            // In Berlin it is already Monday; in New York it is still Sunday.
            (
                "Europe/Berlin", "2026-03-01T22:30:00Z", "2026-03-01T23:30:00Z",
                "23:30 CET on Sunday"
            ),
            ("America/New_York", "2026-03-01T22:30:00Z", "2026-03-02T02:00:00Z", "17:30 EST"),
            // One moment on both sides of the date line.
            (
                "Pacific/Kiritimati", "2026-03-01T09:59:00Z", "2026-03-01T10:00:00Z",
                "23:59 UTC+14 on Sunday"
            ),
            ("Pacific/Pago_Pago", "2026-03-01T11:00:00Z", "2026-03-02T10:59:00Z", "00:00 UTC-11"),
            // The clocks change during this night.
            ("Europe/Berlin", "2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", "00:30 CEST"),
            (
                "Europe/Berlin", "2026-10-24T21:30:00Z", "2026-10-25T22:30:00Z",
                "23:30 CEST on Saturday"
            ),
        ] as [(String?, String, String, String)])
    func anotherDayIsNamed(zone: String?, moment: String, now: String, text: String) throws {
        let date = try #require(ISO8601DateFormatter().date(from: moment))
        let reader = zone.flatMap { ClockZone($0) }
        #expect((reader == nil) == (zone == nil))
        let read = try #require(ISO8601DateFormatter().date(from: now))
        #expect(Timestamp.clockTime(date, in: reader, at: read) == text)
    }

    @Test(arguments: [
        ("Europe/Berlin", 60), ("Australia/Lord_Howe", 30), ("Antarctica/Troll", 120),
        ("Asia/Tokyo", 0), ("Africa/Casablanca", 60),
    ])
    func greatestChangeOfAYear(name: String, minutes: Int) throws {
        let zone = try #require(ClockZone(name))
        #expect(zone.greatestChange(after: noon) == .minutes(minutes))
    }

    @Test(arguments: [
        ("2026-11-28T08:00", "2026-11-28T07:00:00Z", "2026-11-28T08:00"),
        ("2026-07-01T00:30", "2026-06-30T22:30:00Z", "2026-07-01T00:30"),
        // A skipped time moves forward. Of a repeated time, the last counts.
        ("2026-03-29T02:30", "2026-03-29T01:30:00Z", "2026-03-29T03:30"),
        ("2026-10-25T02:30", "2026-10-25T01:30:00Z", "2026-10-25T02:30"),
    ])
    func localTextIsReadInTheZone(text: String, moment: String, shown: String) throws {
        let zone = try #require(ClockZone("Europe/Berlin"))
        let date = try #require(Timestamp.date(moment))
        #expect(zone.moment(ofLocalText: text) == date)
        #expect(zone.localText(of: date) == shown)
    }

    @Test(arguments: ["", "2026-11-28", "2026-11-28 08:00", "2026-02-30T08:00", "2026-11-28T24:00"])
    func otherLocalTextIsNoMoment(text: String) throws {
        let zone = try #require(ClockZone("Europe/Berlin"))
        #expect(zone.moment(ofLocalText: text) == nil)
    }

    @Test func aRepeatAfterDaysNamesTheDay() {
        let text = NotificationText.alertRepeated(name: "Ada", kind: .missedCheckIn, since: noon)
        let body = text.body(in: nil, at: noon.adding(.days(3)))
        #expect(body == "No one is on it yet. The alert began at 12:00 UTC on Sunday.")
    }

    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"),
        (" AMERICA/NEW YORK ", "America/New_York"), ("Asia/Calcutta", "Asia/Calcutta"),
        ("europe/atlantis", "europe/atlantis"), ("", ""), ("utc", "utc"),
    ])
    func typedNameNeedsNoCapitals(text: String, name: String) {
        #expect(ClockZone.name(typed: text) == name)
    }
}
