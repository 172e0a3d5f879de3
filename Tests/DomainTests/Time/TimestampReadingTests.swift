import Foundation
import Testing

@testable import Domain

/// Clients may send a time in any of these forms. Ambiguous forms are rejected.
@Suite struct TimestampReadingTests {
    @Test(
        arguments: [
            "2026-03-01T12:00:00Z", "2026-03-01T12:00:00.0Z", "2026-03-01T12:00:00.000Z",
            "2026-03-01T12:00:00.000000000Z",
            "2026-03-01t12:00:00.000z", "2026-03-01T12:00:00+00:00", "2026-03-01T12:00:00-00:00",
            "2026-03-01T13:00:00+01:00",
            "2026-03-01T17:45:00.000+05:45", "2026-03-02T02:00:00+14:00",
            "2026-03-01T00:00:00-12:00", "2026-02-28T12:01:00-23:59",
            "2026-03-01T12:00:00.000000000+00:00",
        ])
    func noonCanBeWrittenInManyWays(text: String) {
        #expect(Timestamp.date(text) == noon)
    }

    @Test(
        arguments: [
            (".5", 500), (".05", 50), (".123", 123), (".1234", 123), (".1235", 124),
            (".123499999", 123), (".9994", 999),
            (".9995", 1000), (".999999999", 1000), (".0004", 0), (".0005", 1),
        ])
    func aFinerFractionIsRoundedToTheNearestMillisecond(fraction: String, milliseconds: Int) {
        #expect(
            Timestamp.date("2026-03-01T12:00:00\(fraction)Z")
                == noon.adding(.milliseconds(milliseconds)))
    }

    @Test(
        "text that is not a time is refused",
        arguments: [
            "", "yesterday", "1772366400", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00Z",
            "2026-03-01 12:00:00Z",
            "2026-03-01_12:00:00Z", "20260301T120000.000Z", "2026-060T12:00:00.00Z",
            "2026-W09-7T12:00:00Z", "2026-03-1T12:00:00.0Z",
            "2026-3-01T12:00:00.0Z", "02026-3-01T12:00:00Z", "2026-03-01T1:00:00.00Z",
            "2026-03-01T12:00:0.000Z",
            "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00,000Z", "2026-03-01T12:00:00.-50Z",
            "2026-03-01T12:00:00+0100",
            "2026-03-01T12:00:00+01", "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00+24:00",
            "2026-03-01T12:00:00+01:60",
            "2026-03-01T12:00:00UTC", "2026-03-01T12:00:00 Z", "2026-03-01T12:00:00\u{2212}01:00",
            "\u{FF12}026-03-01T12:00:00Z", "-2026-03-01T12:00:00Z",
        ])
    func otherText(text: String) {
        #expect(Timestamp.date(text) == nil)
    }

    @Test(
        "other text around a time is rejected",
        arguments: ["%@Z", "%@ ", " %@", "%@+01:00", "%@junk", "%@\n", "%@.123", "%@\0"])
    func otherTextAround(form: String) {
        let text = form.replacing("%@", with: "2026-03-01T12:00:00Z")
        #expect(Timestamp.date(text) == nil)
    }

    @Test(
        "an impossible time is rejected",
        arguments: [
            "2026-00-01T12:00:00Z", "2026-13-01T12:00:00Z", "2026-03-00T12:00:00Z",
            "2026-03-32T12:00:00Z", "2026-02-29T12:00:00Z",
            "2026-02-30T12:00:00Z", "2026-04-31T12:00:00Z", "2026-03-01T24:00:00Z",
            "2026-03-01T25:00:00Z", "2026-03-01T12:60:00Z",
            "2026-03-01T12:00:60Z", "2026-12-31T23:59:61Z", "2026-12-31T23:59:60-01:00",
        ])
    func nonsense(text: String) {
        #expect(Timestamp.date(text) == nil)
    }

    @Test func leapSecondOnlyEndsAUTCDay() {
        let newYear = Timestamp.date("2017-01-01T00:00:00Z")
        #expect(newYear != nil)
        #expect(Timestamp.date("2016-12-31T23:59:60Z") == newYear)
        #expect(Timestamp.date("2017-01-01T00:59:60+01:00") == newYear)
    }

    @Test func yearsFrom2000To2099AreAccepted() {
        #expect(Timestamp.date("1999-12-31T23:59:59.999Z") == nil)
        #expect(Timestamp.date("1999-12-31T23:59:59.9995Z")?.milliseconds == 946_684_800_000)
        #expect(Timestamp.date("2000-01-01T00:00:00.000Z")?.milliseconds == 946_684_800_000)
        #expect(Timestamp.date("2099-12-31T23:59:59.999Z")?.milliseconds == 4_102_444_799_999)
        #expect(Timestamp.date("2099-12-31T23:59:59.9995Z") == nil)
        #expect(Timestamp.date("2100-01-01T00:00:00.000Z") == nil)
        #expect(Timestamp.date("2000-01-01T00:59:59+01:00") == nil)
    }

    @Test func lengthIsBounded() {
        #expect(Timestamp.date("2026-03-01T12:00:00.0000000000+00:00") == nil)
        #expect(
            Timestamp.date("2026-03-01T12:00:00." + String(repeating: "0", count: 100_000) + "Z")
                == nil)
    }
}
