import Foundation
import Testing
import WebText

@Suite struct RetryAfterTests {
    /// Fri, 15 Jan 2027 08:00:00 GMT.
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(
        arguments: [
            ("0", 0), (" 3 ", 3), ("86400", 86_400), ("86401", 86_401), ("007", 7),
            ("99999999999999999999999", Int.max), ("-1", nil), ("+5", nil), ("1.5", nil), ("", nil),
            ("soon", nil), ("٥", nil), (String(repeating: "9", count: 65), nil), (nil, nil),
            ("Fri, 15 Jan 2027 08:02:00 GMT", 120), ("Fri, 15 Jan 2027 07:59:59 GMT", 0),
            ("Sun, 17 Jan 2027 08:00:00 GMT", 172_800),
        ] as [(String?, Int?)])
    func secondsAndDatesAreRead(value: String?, seconds: Int?) {
        #expect(RetryAfter.wait(value, now: start) == seconds.map { .seconds($0) })
    }

    @Test func datesNeedATimeToCompareWith() {
        #expect(RetryAfter.wait("Fri, 15 Jan 2027 08:02:00 GMT", now: nil) == nil)
        #expect(RetryAfter.wait("120", now: nil) == .seconds(120))
    }

    @Test(arguments: [
        ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400), ("soon", 0),
        ("Sun, 17 Jan 2027 08:00:00 GMT", 86_400),
    ])
    func pauseIsAtMostADay(value: String, seconds: Int) {
        #expect(RetryAfter.pause(value, now: start) == .seconds(seconds))
    }
}
