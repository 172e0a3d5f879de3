import Domain
import Foundation
import Testing

@Suite struct CheckInMonthTests {
    private let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    /// Returns a moment of Berlin, such as "2026-11-05T10:00".
    private func at(_ text: String) throws -> Date {
        try #require(ClockZone("Europe/Berlin")?.moment(ofLocalText: text))
    }

    private func checkIn(_ text: String, received: String? = nil) throws -> CheckInRecord {
        let time = try at(text)
        return CheckInRecord(
            id: CheckInID(UUID()), occurredAt: time, receivedAt: try received.map(at) ?? time,
            nextCheckInTime: nil)
    }

    private func alert(
        _ start: String, until end: String? = nil, kind: AlertKind = .missedCheckIn
    ) throws -> AlertRecord {
        AlertRecord(
            id: UUID().uuidString, startTime: try at(start), endTime: try end.map(at),
            userId: "u", isActive: end == nil, kind: kind)
    }

    private func month(
        _ text: String = "2026-11", _ checkIns: [CheckInRecord] = [], alerts: [AlertRecord] = [],
        pause: CheckInPause? = nil, since: String = "2026-01-01T00:00", until: String? = nil,
        now: String = "2026-11-30T12:00"
    ) throws -> CheckInMonth {
        CheckInMonth(
            try #require(CalendarMonth(text)), checkIns: checkIns, alerts: alerts, pause: pause,
            knownSince: try at(since), knownUntil: try until.map(at), in: berlin, at: try at(now))
    }

    private func mark(_ day: Int, of month: CheckInMonth) -> CheckInMonth.Mark? {
        month.day(day)?.mark
    }

    @Test func checkInKeepsItsLocalDay() throws {
        let month = try month(
            "2026-11",
            [
                checkIn("2026-11-05T00:00"), checkIn("2026-11-05T23:59"),
                checkIn("2026-11-30T23:59"),
            ])
        #expect(mark(5, of: month) == .kept && month.day(5)?.checkIns.count == 2)
        #expect(mark(4, of: month) == .noCheckIn && mark(6, of: month) == .noCheckIn)
        #expect(try month.day(5)?.checkIns.first?.occurredAt == at("2026-11-05T23:59"))
    }

    @Test func bothEndsOfTheMonthBelongToIt() throws {
        let month = try month(
            "2026-11",
            [
                checkIn("2026-10-31T23:59"), checkIn("2026-11-01T00:00"),
                checkIn("2026-11-30T11:59"), checkIn("2026-12-01T00:00"),
            ])
        #expect(month.days.flatMap(\.checkIns).count == 2)
        #expect(mark(1, of: month) == .kept && mark(30, of: month) == .kept)
    }

    @Test func alertWithoutCheckInIsMissed() throws {
        let month = try month(
            alerts: [alert("2026-11-05T10:00", until: "2026-11-06T09:00")])
        #expect(mark(5, of: month) == .missed)
        let open = try self.month(alerts: [alert("2026-11-05T10:00")])
        #expect(mark(5, of: open) == .missed && mark(6, of: open) == .noCheckIn)
    }

    @Test func checkInThatEndsTheAlertIsLate() throws {
        let sameDay = try month(
            "2026-11", [checkIn("2026-11-05T10:20")],
            alerts: [alert("2026-11-05T10:00", until: "2026-11-05T10:20")])
        #expect(mark(5, of: sameDay) == .late)
        let nextDay = try month(
            "2026-11", [checkIn("2026-11-06T09:00"), checkIn("2026-11-05T08:00")],
            alerts: [alert("2026-11-05T10:00", until: "2026-11-06T09:00")])
        #expect(mark(5, of: nextDay) == .missed, "the check-in before the alert doesn't help")
        #expect(mark(6, of: nextDay) == .late)
    }

    @Test func secondMissOutweighsALateCheckIn() throws {
        let month = try month(
            "2026-11", [checkIn("2026-11-05T10:20")],
            alerts: [
                alert("2026-11-05T10:00", until: "2026-11-05T10:20"), alert("2026-11-05T22:00"),
            ])
        #expect(mark(5, of: month) == .missed)
    }

    @Test func checkInMadeOnTheDayBeforeTheAlertHidesNoMiss() throws {
        let month = try month(
            "2026-11", [checkIn("2026-11-04T23:50", received: "2026-11-05T08:00")],
            alerts: [alert("2026-11-05T00:10", until: "2026-11-05T08:00")])
        #expect(mark(4, of: month) == .kept && mark(5, of: month) == .missed)
        let later = try self.month(
            "2026-11",
            [
                checkIn("2026-11-04T23:50", received: "2026-11-05T08:00"),
                checkIn("2026-11-05T09:00"),
            ],
            alerts: [alert("2026-11-05T00:10", until: "2026-11-05T08:00")])
        #expect(mark(5, of: later) == .missed)
        let sameDay = try self.month(
            "2026-11", [checkIn("2026-11-05T09:50", received: "2026-11-05T11:00")],
            alerts: [alert("2026-11-05T10:00", until: "2026-11-05T11:00")])
        #expect(mark(5, of: sameDay) == .late)
    }

    @Test func otherAlertsDoNotCount() throws {
        let month = try month(
            "2026-11", [checkIn("2026-11-05T09:00")],
            alerts: [alert("2026-11-05T10:00", kind: .manual)])
        #expect(mark(5, of: month) == .kept)
    }

    @Test func onlyWholeDaysOfThePauseArePaused() throws {
        let pause = CheckInPause(
            began: try at("2026-11-05T12:00"), until: try at("2026-11-08T00:00"))
        let month = try month("2026-11", [checkIn("2026-11-05T12:00")], pause: pause)
        #expect(mark(5, of: month) == .kept)
        #expect(mark(6, of: month) == .paused && mark(7, of: month) == .paused)
        #expect(mark(8, of: month) == .noCheckIn)
        let shorter = CheckInPause(began: pause.began, until: pause.until.aMillisecondBefore)
        #expect(try mark(7, of: self.month(pause: shorter)) == .noCheckIn)
        let checked = try self.month("2026-11", [checkIn("2026-11-06T12:00")], pause: pause)
        #expect(mark(6, of: checked) == .kept)
    }

    @Test func daysBeforeTheHistoryAreUnknown() throws {
        let month = try month(
            "2026-11", [checkIn("2026-11-05T12:00")], since: "2026-11-05T00:01")
        #expect(mark(5, of: month) == .unknown && mark(6, of: month) == .noCheckIn)
        let whole = try self.month(
            "2026-11", [checkIn("2026-11-05T12:00")], since: "2026-11-05T00:00")
        #expect(mark(4, of: whole) == .unknown && mark(5, of: whole) == .kept)
    }

    @Test func daysBeyondAYearAreUnknown() throws {
        let month = try month(
            "2025-11", [checkIn("2025-11-30T10:00"), checkIn("2025-11-29T10:00")],
            since: "2020-01-01T00:00", now: "2026-11-30T00:00")
        #expect(mark(29, of: month) == .unknown && mark(30, of: month) == .kept)
    }

    @Test func oldCopyKnowsOnlyCheckIns() throws {
        let month = try month(
            "2026-11", [checkIn("2026-11-29T10:00")], until: "2026-11-28T00:00")
        #expect(mark(27, of: month) == .noCheckIn && mark(28, of: month) == .unknown)
        #expect(mark(29, of: month) == .kept)
    }

    @Test func futureBeginsTomorrow() throws {
        let month = try month(now: "2026-11-05T00:00")
        #expect(mark(5, of: month) == .noCheckIn && month.day(5)?.isToday == true)
        #expect(mark(6, of: month) == .future)
        let before = CheckInMonth(
            try #require(CalendarMonth("2026-11")), checkIns: [], alerts: [], pause: nil,
            knownSince: .distantPast, in: berlin, at: try at("2026-11-05T00:00").aMillisecondBefore)
        #expect(mark(5, of: before) == .future && before.day(4)?.isToday == true)
    }

    /// In Berlin, 29 March 2026 has 23 hours and 25 October 2026 has 25.
    @Test func changesOfClocksKeepTheDays() throws {
        let march = try month(
            "2026-03",
            [
                checkIn("2026-03-29T00:00"), checkIn("2026-03-29T23:59"),
                checkIn("2026-03-30T00:00"), checkIn("2026-03-31T23:59"),
            ])
        #expect(march.days.count == 31)
        #expect(march.days.map(\.checkIns.count).suffix(3) == [2, 1, 1])
        let october = try month(
            "2026-10",
            [
                checkIn("2026-10-25T00:00"), checkIn("2026-10-25T23:59"),
                checkIn("2026-10-26T00:00"),
            ])
        #expect(october.days.map(\.checkIns.count).suffix(7) == [2, 1, 0, 0, 0, 0, 0])
    }

    /// In Santiago, 6 September 2026 begins at 1:00, because the clock skips midnight.
    @Test func dayWithoutMidnightBeginsAfterTheGap() throws {
        let zone = try #require(TimeZone(identifier: "America/Santiago"))
        let clock = try #require(ClockZone("America/Santiago"))
        let start = try #require(clock.moment(ofLocalText: "2026-09-06T01:00"))
        #expect(CheckInMonth.startOfDay(start, in: zone) == start)
        #expect(
            CheckInMonth.startOfDay(start.aMillisecondBefore, in: zone)
                == clock.moment(ofLocalText: "2026-09-05T00:00"))
    }

    @Test func weeksBeginOnMonday() throws {
        // 1 November 2026 is a Sunday, and 1 February 2027 a Monday.
        let november = try month()
        #expect(november.weeks.count == 6 && november.weeks[0].compactMap(\.self).count == 1)
        #expect(november.weeks[0][6]?.number == 1 && november.weeks[5][0]?.number == 30)
        #expect(november.weeks.allSatisfy { $0.count == 7 })
        let february = try month("2027-02")
        #expect(february.weeks.count == 4 && february.weeks[0][0]?.number == 1)
    }

    @Test func zoneIsTheSchedulesElseTheDevices() throws {
        var settings = CheckInSettings.standard
        #expect(CheckInMonth.zone(of: settings, device: nil) == .gmt)
        #expect(CheckInMonth.zone(of: settings, device: "no zone") == .gmt)
        #expect(CheckInMonth.zone(of: settings, device: "Asia/Tokyo").identifier == "Asia/Tokyo")
        settings.plan = .times(CheckInTimes(timeZone: "Europe/Berlin", windows: []))
        #expect(
            CheckInMonth.zone(of: settings, device: "Asia/Tokyo").identifier == "Europe/Berlin")
        settings.plan = .intervalWithSleep(
            SleepHours(
                from: try #require(TimeOfDay("23:00")), until: try #require(TimeOfDay("07:00")),
                timeZone: "Atlantic/Reykjavik"))
        #expect(
            CheckInMonth.zone(of: settings, device: "Asia/Tokyo").identifier
                == "Atlantic/Reykjavik")
    }
}

@Suite struct CalendarMonthTests {
    @Test(arguments: ["2026-11", "2024-02", "2000-01", "2099-12"]) func textIsRead(text: String) {
        #expect(CalendarMonth(text)?.text == text)
    }

    @Test(arguments: ["", "2026-13", "2026-00", "2026-1", "26-11", "2026/11", "2026-11-01", "x"])
    func otherTextIsRefused(text: String) {
        #expect(CalendarMonth(text) == nil)
    }

    @Test func yearsFollowEachOther() throws {
        let december = try #require(CalendarMonth("2026-12"))
        #expect(december.next.text == "2027-01" && december.next.previous == december)
        #expect(december.previous.text == "2026-11" && december.previous < december)
        #expect(december.words == "December 2026")
    }

    @Test func monthDependsOnTheZone() throws {
        let moment = try #require(Timestamp.date("2026-11-30T23:30:00Z"))
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(CalendarMonth(containing: moment, in: .gmt).text == "2026-11")
        #expect(CalendarMonth(containing: moment, in: berlin).text == "2026-12")
        let start = try #require(CalendarMonth("2026-12")).start(in: berlin)
        #expect(start == Timestamp.date("2026-11-30T23:00:00Z"))
    }
}
