import Foundation
import Testing

@testable import Domain

/// What product.md, "Schedules", accepts.
@Suite struct CheckInTimesLimitTests {
    private func refusal(_ windows: CheckInWindow..., zone: String = "Europe/Berlin")
        -> RefusalWords?
    {
        CheckInTimes(timeZone: zone, windows: windows).refusal
    }

    @Test(arguments: [
        ("09:31", false), ("09:30", true), ("04:00", true), ("10:01", true), ("10:00", true),
    ])
    func windowsOpen30MinutesTo24HoursBefore(opens: String, isAccepted: Bool) {
        let words = refusal(.until("10:00", from: opens))
        #expect(words == (isAccepted ? nil : .windowLength))
    }

    @Test(arguments: [("10:59", false), ("11:00", true), ("09:01", false), ("09:00", true)])
    func deadlinesAreAnHourApart(other: String, isAccepted: Bool) {
        let words = refusal(.until("10:00"), .until(other))
        #expect(words == (isAccepted ? nil : .deadlinesTooClose))
    }

    @Test(arguments: [("00:29", false), ("00:30", true)])
    func theHourCountsAcrossTheEndOfTheWeek(monday: String, isAccepted: Bool) {
        let words = refusal(
            .until("23:30", on: [.sunday]), .until(monday, from: "23:59", on: [.monday]))
        #expect(words == (isAccepted ? nil : .deadlinesTooClose))
    }

    @Test func sameDeadlineTwiceIsTooClose() {
        #expect(
            refusal(.until("10:00", on: [.monday]), .until("10:00", on: [.monday, .friday]))
                == .deadlinesTooClose)
        #expect(refusal(.until("10:00", on: [.monday]), .until("10:00", on: [.friday])) == nil)
    }

    @Test func aDayHasSixDeadlines() {
        let six = (0..<6).map { CheckInWindow.until("\(2 * $0):00") }
        #expect(CheckInTimes(timeZone: "Europe/Berlin", windows: six).refusal == nil)
        let seventh = six + [.until("14:00", on: [.sunday])]
        #expect(
            CheckInTimes(timeZone: "Europe/Berlin", windows: seventh).refusal == .windowsPerDay)
        let oneEachDay = Weekday.allCases.map { CheckInWindow.until("10:00", on: [$0]) }
        #expect(CheckInTimes(timeZone: "Europe/Berlin", windows: oneEachDay).refusal == nil)
    }

    @Test(arguments: [("09:59", false), ("10:00", true)])
    func openingIsNotBeforeThePreviousDeadline(opens: String, isAccepted: Bool) {
        let words = refusal(.until("10:00"), .until("14:00", from: opens))
        #expect(words == (isAccepted ? nil : .windowsOverlap))
    }

    @Test func openingMayBeOneDeadlineEarlierInTheWeek() {
        #expect(refusal(.until("10:00", from: "10:00")) == nil)
        #expect(
            refusal(.until("23:00", on: [.sunday]), .until("02:00", from: "22:59", on: [.monday]))
                == .windowsOverlap)
        #expect(
            refusal(.until("23:00", on: [.sunday]), .until("02:00", from: "23:00", on: [.monday]))
                == nil)
    }

    /// The default opening is cut at the previous deadline instead.
    @Test func defaultOpeningNeverOverlaps() {
        #expect(refusal(.until("10:00"), .until("11:00")) == nil)
    }

    @Test(arguments: ["", "UTC", "Etc/UTC", "CET", "Europe/Atlantis", "+01:00"])
    func unknownZoneIsRefused(zone: String) {
        #expect(refusal(.until("10:00"), zone: zone) == (zone.isEmpty ? .noTimeZone : .timeZone))
    }

    @Test func timesNeedAWindowAndDays() {
        #expect(CheckInTimes(timeZone: "Europe/Berlin", windows: []).refusal == .noTimes)
        #expect(refusal(.until("10:00"), .until("12:00", on: [])) == .noTimes)
        #expect(refusal(.until("10:00", on: [.wednesday])) == nil)
    }

    @Test func refusalNamesThePlan() throws {
        let bad = CheckInSettings.at(CheckInTimes(.until("10:00", from: "09:31")))
        let error = DomainTests.refusal { try IntervalLimits.standard.check(bad) }
        #expect(error?.field == "plan")
        try IntervalLimits.standard.check(.at(.dailyUntil10))
        try IntervalLimits.standard.check(.planned(.none))
    }
}

@Suite struct CheckInTimesTests {
    private typealias Occurrence = CheckInTimes.Occurrence

    private func window(_ opening: String, _ deadline: String) -> Occurrence {
        Occurrence(opening: utc(opening), deadline: utc(deadline))
    }

    @Test func checkInAtTheOpeningSatisfiesTheWindow() {
        let times = CheckInTimes.dailyUntil10
        let today = window("2026-03-02T04:00:00Z", "2026-03-02T10:00:00Z")
        let tomorrow = window("2026-03-03T04:00:00Z", "2026-03-03T10:00:00Z")
        #expect(times.firstWindow(openingAfter: today.opening.aMillisecondBefore) == today)
        #expect(times.firstWindow(openingAfter: today.opening) == tomorrow)
        #expect(times.firstWindow(openingAfter: today.deadline.aMillisecondBefore) == tomorrow)
        #expect(times.firstWindow(openingAfter: today.deadline) == tomorrow)
    }

    @Test func deadlineAtTheMomentIsStillDue() {
        let times = CheckInTimes.dailyUntil10
        let due = utc("2026-03-02T10:00:00Z")
        #expect(times.firstWindow(dueFrom: due)?.deadline == due)
        #expect(
            times.firstWindow(dueFrom: due.aMillisecondAfter)?.deadline == due.adding(.hours(24)))
    }

    @Test func aMomentIsInAWindowFromOpeningToDeadline() {
        let times = CheckInTimes.dailyUntil10
        let (opening, deadline) = (utc("2026-03-02T04:00:00Z"), utc("2026-03-02T10:00:00Z"))
        #expect(!times.isInWindow(opening.aMillisecondBefore))
        #expect(times.isInWindow(opening))
        #expect(times.isInWindow(deadline.aMillisecondBefore))
        #expect(!times.isInWindow(deadline))
    }

    @Test func windowMayOpenOnTheDayBefore() {
        let times = CheckInTimes(.until("02:00", from: "20:00", on: [.monday]), in: "Europe/Berlin")
        let monday = window("2026-03-01T19:00:00Z", "2026-03-02T01:00:00Z")
        #expect(times.firstWindow(openingAfter: monday.opening.aMillisecondBefore) == monday)
        #expect(
            times.firstWindow(openingAfter: monday.opening)
                == window("2026-03-08T19:00:00Z", "2026-03-09T01:00:00Z"))
    }

    /// The longest lead opens a window at the time of day of its deadline.
    @Test func windowMayOpenADayBefore() {
        let times = CheckInTimes(.until("10:00", from: "10:00", on: [.monday]))
        let monday = window("2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z")
        #expect(times.firstWindow(openingAfter: monday.opening.aMillisecondBefore) == monday)
        #expect(times.isInWindow(monday.opening))
    }

    @Test func defaultOpeningIsNotBeforeThePreviousDeadline() {
        let times = CheckInTimes(.until("12:00"), .until("10:00"))
        let second = window("2026-03-02T10:00:00Z", "2026-03-02T12:00:00Z")
        #expect(times.firstWindow(openingAfter: second.opening.aMillisecondBefore) == second)
        #expect(
            times.firstWindow(openingAfter: second.opening)
                == window("2026-03-03T04:00:00Z", "2026-03-03T10:00:00Z"))
    }

    @Test func unknownZoneHasNoWindows() {
        let times = CheckInTimes(.until("10:00"), in: "Europe/Atlantis")
        #expect(times.firstWindow(openingAfter: noon) == nil)
        #expect(times.firstWindow(dueFrom: noon) == nil)
        #expect(!times.isInWindow(noon))
    }

    // MARK: The longest silence

    private static let workdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]

    static let silences: [(CheckInTimes, Duration)] = [
        (.dailyUntil10, .hours(30)),
        (CheckInTimes(.until("10:00", from: "09:00")), .hours(25)),
        (CheckInTimes(.until("10:00", from: "10:00")), .hours(48)),
        (CheckInTimes(.until("10:00", on: [.monday])), .hours(7 * 24 + 6)),
        (CheckInTimes(.until("10:00", on: workdays)), .hours(72 + 6)),
        (CheckInTimes(.until("10:00"), .until("12:00")), .hours(24)),
        (CheckInTimes(.until("10:00"), .until("22:00")), .hours(18)),
    ]

    @Test func longestSilenceIsFromAnOpeningToTheNextDeadline() {
        for (times, longest) in Self.silences { #expect(times.longestSilence == longest) }
    }

    /// Tries every minute of two weeks.
    @Test(arguments: silences.indices)
    func longestSilenceIsReachedAndNeverExceeded(index: Int) throws {
        let (times, longest) = Self.silences[index]
        var found = Duration.zero
        for minute in 0..<(14 * 1440) {
            let checkIn = noon.adding(.minutes(minute))
            let next = try #require(times.firstWindow(openingAfter: checkIn))
            found = max(found, next.deadline.since(checkIn))
        }
        #expect(found == longest)
    }

    // MARK: Clock changes

    /// The clocks skip 02:00 to 03:00 on 29 March, and show it twice on 25 October.
    @Test(arguments: [
        // A skipped time moves forward by the gap.
        ("02:30", "20:00", "2026-03-28T19:00:00Z", "2026-03-29T01:30:00Z"),
        ("05:00", "02:30", "2026-03-29T01:30:00Z", "2026-03-29T03:00:00Z"),
        ("02:00", "20:00", "2026-03-28T19:00:00Z", "2026-03-29T01:00:00Z"),
        ("03:00", "20:00", "2026-03-28T19:00:00Z", "2026-03-29T01:00:00Z"),
        // Six hours by the clock are five.
        ("08:00", "02:00", "2026-03-29T01:00:00Z", "2026-03-29T06:00:00Z"),
        // The opening would be after the deadline.
        ("03:00", "02:30", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
        // An opening uses the first of a repeated time, a deadline the last.
        ("02:30", "20:00", "2026-10-24T18:00:00Z", "2026-10-25T01:30:00Z"),
        ("05:00", "02:30", "2026-10-25T00:30:00Z", "2026-10-25T04:00:00Z"),
        ("02:30", "02:00", "2026-10-25T00:00:00Z", "2026-10-25T01:30:00Z"),
        ("03:00", "01:59", "2026-10-24T23:59:00Z", "2026-10-25T02:00:00Z"),
    ])
    func clockChangesInBerlin(deadline: String, opens: String, from: String, until: String) {
        let times = CheckInTimes(.until(deadline, from: opens), in: "Europe/Berlin")
        let expected = window(from, until)
        #expect(times.refusal == nil)
        #expect(times.firstWindow(dueFrom: expected.deadline) == expected)
        #expect(times.firstWindow(openingAfter: expected.opening.aMillisecondBefore) == expected)
    }

    /// The clocks show 01:30 to 02:00 twice on 5 April, and skip 02:00 to 02:30 on 4 October.
    @Test(arguments: [
        ("01:45", "23:00", "2026-04-04T12:00:00Z", "2026-04-04T15:15:00Z"),
        ("05:00", "01:45", "2026-04-04T14:45:00Z", "2026-04-04T18:30:00Z"),
        ("02:15", "23:00", "2026-10-03T12:30:00Z", "2026-10-03T15:45:00Z"),
        ("05:00", "02:15", "2026-10-03T15:45:00Z", "2026-10-03T18:00:00Z"),
    ])
    func halfHoursOnLordHowe(deadline: String, opens: String, from: String, until: String) {
        let times = CheckInTimes(.until(deadline, from: opens), in: "Australia/Lord_Howe")
        let expected = window(from, until)
        #expect(times.firstWindow(dueFrom: expected.deadline) == expected)
        #expect(times.firstWindow(openingAfter: expected.opening.aMillisecondBefore) == expected)
    }

    @Test func deadlineKeepsItsTimeOfDay() {
        let times = CheckInTimes(.until("10:00"), in: "Europe/Berlin")
        let settings = CheckInSettings.at(times)
        let schedule = CheckInSchedule(
            settings: settings, lastCheckIn: utc("2026-03-27T12:00:00Z"))
        #expect(
            schedule.nextDeadlines(3) == [
                utc("2026-03-28T09:00:00Z"), utc("2026-03-29T08:00:00Z"),
                utc("2026-03-30T08:00:00Z"),
            ])
    }

    /// Both deadlines are at 03:30 on 29 March. The longer window counts.
    @Test func twoDeadlinesMayMeet() {
        let times = CheckInTimes(
            .until("02:30", from: "01:30"), .until("03:30", from: "02:30"), in: "Europe/Berlin")
        #expect(times.refusal == nil)
        let night = window("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z")
        #expect(times.firstWindow(dueFrom: night.deadline) == night)
        #expect(
            times.firstWindow(openingAfter: night.opening)
                == window("2026-03-29T23:30:00Z", "2026-03-30T00:30:00Z"))
    }

    /// 02:30 moves to 03:30 on 29 March.
    @Test(arguments: [("03:35", true), ("03:59", true), ("04:00", false)])
    func deadlinesLessThan30MinutesApartAreOne(second: String, areOne: Bool) {
        let times = CheckInTimes(.until("02:30"), .until(second), in: "Europe/Berlin")
        #expect(times.refusal == nil)
        let first = window("2026-03-28T19:30:00Z", "2026-03-29T01:30:00Z")
        let next =
            areOne
            ? window("2026-03-29T18:30:00Z", "2026-03-30T00:30:00Z")
            : window("2026-03-29T01:30:00Z", "2026-03-29T02:00:00Z")
        #expect(times.firstWindow(dueFrom: first.deadline) == first)
        #expect(times.firstWindow(openingAfter: first.opening) == next)
    }

    /// The clocks of Nuuk skip the hour before midnight, so that both deadlines are at midnight.
    @Test func deadlinesOfTwoDaysMayMeet() {
        let times = CheckInTimes(
            .until("00:00"), .until("23:00", from: "21:30"), in: "America/Godthab")
        #expect(times.refusal == nil)
        let night = window("2027-03-27T20:00:00Z", "2027-03-28T01:00:00Z")
        #expect(times.firstWindow(dueFrom: night.deadline) == night)
        #expect(times.firstWindow(openingAfter: night.opening.aMillisecondBefore) == night)
    }
}
