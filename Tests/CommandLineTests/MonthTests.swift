import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct MonthTests {
    /// November 2026, of which the 22nd, a Sunday, is today.
    private func calendar(source: String? = nil) throws -> CheckInMonth {
        let yesterday = Examples.now.addingTimeInterval(-86_400)
        return CheckInMonth(
            try #require(CalendarMonth("2026-11")),
            checkIns: [
                CheckInRecord(
                    id: CheckInID(UUID()), occurredAt: yesterday,
                    receivedAt: yesterday.addingTimeInterval(600), nextCheckInTime: nil,
                    source: source)
            ],
            alerts: [], pause: nil, knownSince: yesterday.addingTimeInterval(-2 * 86_400), in: .gmt,
            at: Examples.now)
    }

    @Test func calendarHasMarksAndALegend() throws {
        let lines = MonthText(calendar: try calendar(), zone: .gmt, now: Examples.now)
            .lines(day: nil)
        #expect(lines[0].hasPrefix("November 2026, by the clock of "))
        #expect(lines[2] == "Mon  Tue  Wed  Thu  Fri  Sat  Sun")
        #expect(lines[3] == "                               1?")
        #expect(lines[6] == "16?  17?  18?  19?  20–  21✓  22–*")
        #expect(lines.contains("✓ kept: you checked in") && lines.last == "* today")
    }

    @Test func dayListsItsCheckIns() throws {
        let text = MonthText(calendar: try calendar(), zone: .gmt, now: Examples.now)
        let kept = text.lines(day: 21)
        #expect(
            kept.suffix(2) == [
                "Saturday, 21 November: kept", "  09:02, received yesterday 09:12",
            ])
        #expect(text.lines(day: 20).last == "  No check-ins on this day.")
        #expect(text.lines(day: 31) == text.lines(day: nil), "November has 30 days")
    }

    @Test func dayThatTheMonthLacksIsRefused() throws {
        let month = try calendar()
        for day in [nil, 1, 30] as [Int?] { try CheckInHistory.check(day, in: month) }
        let failure = #expect(throws: CommandFailure.self) {
            try CheckInHistory.check(31, in: month)
        }
        #expect(failure?.status == .usage)
        #expect(failure?.error.message == "November 2026 has 30 days.")
    }

    @Test func dayNamesTheSourceOfACheckIn() throws {
        let month = try calendar(source: "Kitchen\u{1B} button")
        let text = MonthText(calendar: month, zone: .gmt, now: Examples.now)
        #expect(
            text.lines(day: 21).last
                == "  09:02 by Kitchen\u{FFFD} button, received yesterday 09:12")
    }

    @Test func jsonNamesEachDay() throws {
        let json = Output.json(MonthView(try calendar(), in: .gmt))
        #expect(json.contains("\"month\":\"2026-11\""))
        #expect(json.contains("\"date\":\"2026-11-01\"") && json.contains("\"state\":\"kept\""))
    }

    @Test func totalsOfAFullListDontCountOlderAlerts() {
        let alerts = [Examples.alert(of: Examples.me), Examples.alert(of: Examples.me)]
        let starts = [2, 3].map { AlertText.totals(alerts, limit: $0)[0].prefix(12) }
        #expect(starts == ["The newest 2", "2 in all: 2 "])
    }

    @Test func plotHasABarForEachAlert() {
        var alerts = [Examples.alert(of: Examples.me), Examples.alert(of: Examples.me)]
        #expect(AlertText.plot(alerts, Examples.words).isEmpty)
        alerts[0].acknowledgement = .init(
            responderId: "b", name: "Ben", time: Examples.now, afterSeconds: 60)
        alerts[1].startTime = Examples.now.addingTimeInterval(-120)
        let lines = AlertText.plot(alerts, Examples.words)
        #expect(lines.count == 3 && lines[1].hasSuffix("not taken on"))
        #expect(lines[2] == "  09:01  ████████████████████  1 minute")
    }

    @Test func timelineNamesTheDayUnlessToday() {
        var alert = Examples.alert(of: Examples.me, isActive: false)
        alert.startTime = Examples.now.addingTimeInterval(-86_400)
        alert.ending = .init(sessionId: "s", deviceName: "Tab\u{1B}let")
        let lines = AlertText.timeline(alert, in: .init(), Examples.words)
        #expect(lines.first == "  yesterday 09:02:00  Alert raised by hand")
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
    }
}
