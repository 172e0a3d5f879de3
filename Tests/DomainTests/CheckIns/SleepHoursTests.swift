import Foundation
import Testing

@testable import Domain

private func night(
    _ from: String = "22:00", _ until: String = "07:00", in zone: String = "Atlantic/Reykjavik"
) -> SleepHours {
    SleepHours(from: clock(from), until: clock(until), timeZone: zone)
}

/// What product.md, "Schedules", says about sleep hours.
@Suite struct SleepHoursTests {
    @Test(arguments: [
        ("22:00", "22:29", false), ("22:00", "22:30", true), ("22:00", "08:00", true),
        ("22:00", "08:01", false), ("22:00", "22:00", false), ("13:00", "14:00", true),
        ("23:45", "00:15", true),
    ])
    func theyLast30MinutesTo10Hours(from: String, until: String, isAccepted: Bool) {
        #expect(night(from, until).refusal == (isAccepted ? nil : .sleepLength))
        let error = refusal { try night(from, until).check() }
        #expect(error?.field == (isAccepted ? nil : "plan"))
    }

    @Test(arguments: ["", "UTC", "Europe/Atlantis"])
    func unknownZoneIsRefused(zone: String) {
        #expect(night(in: zone).refusal == (zone.isEmpty ? .noTimeZone : .timeZone))
        let deadline = utc("2026-03-02T00:00:00Z")
        #expect(night(in: zone).moved(deadline) == deadline)
    }

    @Test func limitsCoverSleepHours() {
        let settings = CheckInSettings.planned(.intervalWithSleep(night("22:00", "08:01")))
        #expect(refusal { try IntervalLimits.standard.check(settings) }?.field == "plan")
    }

    /// The begin is inside, and so is the hour after the end.
    @Test(
        arguments: [
            ("2026-03-01T21:59:59.999Z", nil), ("2026-03-01T22:00:00Z", "2026-03-02T08:00:00Z"),
            ("2026-03-02T00:00:00Z", "2026-03-02T08:00:00Z"),
            ("2026-03-02T06:59:59.999Z", "2026-03-02T08:00:00Z"),
            ("2026-03-02T07:59:59.999Z", "2026-03-02T08:00:00Z"), ("2026-03-02T08:00:00Z", nil),
        ] as [(String, String?)])
    func deadlineInsideMovesToAnHourAfterTheEnd(deadline: String, moved: String?) {
        #expect(night().moved(utc(deadline)) == utc(moved ?? deadline))
    }

    @Test(
        arguments: [
            ("2026-03-01T12:59:59Z", nil), ("2026-03-01T13:00:00Z", "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:29:59Z", "2026-03-01T14:30:00Z"), ("2026-03-01T14:30:00Z", nil),
        ] as [(String, String?)])
    func sleepByDayStaysOnOneDay(deadline: String, moved: String?) {
        #expect(night("13:00", "13:30").moved(utc(deadline)) == utc(moved ?? deadline))
    }

    /// Berlin's clocks skip 2:00 to 3:00 on 29 March, and show it twice on 25 October.
    @Test(
        arguments: [
            ("22:00", "02:30", "2026-03-29T02:29:59Z", "2026-03-29T02:30:00Z"),
            ("22:00", "02:30", "2026-03-29T02:30:00Z", nil),
            ("02:30", "06:00", "2026-03-29T01:29:59Z", nil),
            ("02:30", "06:00", "2026-03-29T01:30:00Z", "2026-03-29T05:00:00Z"),
            ("22:00", "02:30", "2026-10-25T02:29:59Z", "2026-10-25T02:30:00Z"),
            ("22:00", "02:30", "2026-10-25T02:30:00Z", nil),
            ("02:30", "08:00", "2026-10-25T00:29:59Z", nil),
            ("02:30", "08:00", "2026-10-25T00:30:00Z", "2026-10-25T08:00:00Z"),
        ] as [(String, String, String, String?)])
    func changeOfClocks(from: String, until: String, deadline: String, moved: String?) {
        let found = night(from, until, in: "Europe/Berlin").moved(utc(deadline))
        #expect(found == utc(moved ?? deadline))
    }

    /// On an ordinary night, and on both nights when clocks change.
    @Test(
        arguments: ["2026-03-01T12:00:00Z", "2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"],
        [
            night(in: "Europe/Berlin"), night("22:00", "02:30", in: "Europe/Berlin"),
            night("02:30", "08:00", in: "Europe/Berlin"),
        ])
    func laterCheckInHasNoEarlierDeadline(start: String, hours: SleepHours) {
        let deadlines = (0..<(36 * 60)).map { hours.moved(utc(start).adding(.minutes($0))) }
        #expect(zip(deadlines, deadlines.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// The clocks of St John's were set back at 0:01, to 23:01 on the day before.
    @Test func begunPeriodGoesOnWhenTheDayComesAgain() {
        let hours = night("00:00", "08:00", in: "America/St_Johns")
        let deadline = utc("2010-11-07T02:45:00Z")
        #expect(hours.moved(deadline) == utc("2010-11-07T12:30:00Z"))
    }
}

/// Deadlines of people with an interval and sleep hours from 22:00 to 7:00, UTC.
@Suite struct SleepScheduleTests {
    private func every(_ hours: Int, _ sleep: SleepHours = night()) -> CheckInSettings {
        var settings = CheckInSettings.every(.hours(hours))
        settings.plan = .intervalWithSleep(sleep)
        return settings
    }

    private let eight = utc("2026-03-02T08:00:00Z")

    @Test func deadlineAfterACheckInIsMoved() {
        var schedule = CheckInSchedule(settings: every(10), lastCheckIn: noon.aMillisecondBefore)
        #expect(schedule.deadline == utc("2026-03-01T21:59:59.999Z"))
        _ = schedule.checkIn(at: noon)
        #expect(schedule.deadline == eight && schedule.opening == nil)
        #expect(!schedule.isMissed(at: eight.aMillisecondBefore) && schedule.isMissed(at: eight))
    }

    @Test func deadlineAfterAPauseIsMoved() {
        var schedule = CheckInSchedule(settings: every(8), lastCheckIn: noon)
        schedule.pause(until: noon.adding(.hours(2)), at: noon.adding(.minutes(1)))
        #expect(schedule.deadline == eight)
        schedule.endPause(at: noon.adding(.hours(2)).aMillisecondBefore)
        #expect(schedule.deadline == utc("2026-03-01T21:59:59.999Z"))
    }

    @Test func deadlineAfterAChangeIsMoved() {
        var schedule = CheckInSchedule.daily
        schedule.apply(every(10), at: noon.adding(.hours(1)))
        #expect(schedule.deadline == eight)
        schedule.apply(every(10, night("22:00", "08:00")), at: noon.adding(.hours(2)))
        #expect(schedule.deadline == eight.adding(.hours(1)))
        // Without sleep hours the interval counts again.
        schedule.apply(.every(.hours(10)), at: noon.adding(.hours(3)))
        #expect(schedule.deadline == noon.adding(.hours(10)))
    }

    @Test func deadlineAfterNoneIsMoved() {
        var schedule = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let now = noon.adding(.days(40))
        schedule.apply(every(10), at: now)
        let first = eight.adding(.days(40))
        #expect(schedule.start == FirstDeadline(from: now, deadline: first))
        #expect(schedule.deadline == first)
        // Another interval counts from the first change, and not from the check-in.
        schedule.apply(every(9), at: now.adding(.hours(1)))
        #expect(schedule.deadline == now.adding(.hours(9)))
    }

    @Test func presentDeadlineThatAChangeKeepsIsMoved() {
        var schedule = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let now = noon.adding(.days(40))
        schedule.apply(.at(.dailyUntil10), at: now)
        #expect(schedule.deadline == now.adding(.hours(22)))
        schedule.apply(every(24, night("09:00", "11:00")), at: now.adding(.minutes(1)))
        #expect(schedule.deadline == now.adding(.hours(24)))
    }

    @Test func remindersAndLastCallMoveWithTheDeadline() {
        var settings = every(10)
        settings.lastCall = .standard
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        #expect(schedule.moment(of: Reminder.twoHours) == eight.adding(.hours(-2)))
        #expect(schedule.moment(of: Reminder.thirtyMinutes) == eight.adding(.minutes(-30)))
        #expect(schedule.moment(of: LastCallStep.message) == eight.adding(.minutes(-10)))
        #expect(schedule.nextDue(at: noon) == eight.adding(.hours(-2)))
    }

    @Test func reminderIsNotRepeatedForTheSameDeadline() {
        var schedule = CheckInSchedule(settings: every(10), lastCheckIn: noon)
        _ = schedule.act(at: eight.adding(.hours(-2)))
        let sent = schedule.remindersSent
        #expect(sent == SentReminders(.twoHours))
        _ = schedule.checkIn(at: noon.adding(.hours(1)))
        #expect(schedule.deadline == eight && schedule.remindersSent == sent)
    }

    @Test func reminderThatIsLongerThanTheIntervalIsSkipped() {
        #expect(every(2).reminders == [.thirtyMinutes])
        #expect(every(3).reminders == [.twoHours, .thirtyMinutes])
    }

    @Test func longestSilenceIsReached() {
        let settings = every(8)
        #expect(settings.longestSilence == .hours(18))
        let checkIn = utc("2026-03-01T14:00:00Z")
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: checkIn)
        #expect(schedule.deadline == checkIn.adding(.hours(18)))
        #expect(settings.allowsLongerSilence(than: .every(.hours(17))))
        #expect(!settings.allowsLongerSilence(than: .every(.hours(18))))
        #expect(every(8, night("22:00", "07:01")).allowsLongerSilence(than: settings))
        #expect(!every(8, night("22:00", "06:59")).allowsLongerSilence(than: settings))
    }

    /// By day, a deadline follows every eight hours. A night of ten hours leaves two a day.
    @Test(arguments: [
        (CheckInSettings.every(.hours(19)), true), (.every(.hours(12)), true),
        (.every(.hours(8) + .seconds(1)), true), (.every(.hours(8)), false),
        (.at(CheckInTimes(.until("10:00"), .until("22:00"))), false),
        (.at(.dailyUntil10), true),
    ])
    func plansWithLaterCheckInsThanAnIntervalWithSleep(plan: CheckInSettings, isLater: Bool) {
        let old = every(8, night("22:00", "08:00"))
        #expect(old.longestSilence == .hours(19))
        #expect(plan.allowsLaterCheckIns(than: old) == isLater)
    }

    @Test(arguments: [
        // Deadlines at 09:00 and 17:00, and none at 01:00.
        (8, "22:00", "08:00", 43_200.0),
        // The interval does not divide a day: 08:00, 23:00, 14:00, and 05:00 moves to 08:00.
        (15, "23:30", "07:00", 57_600.0),
        // 08:00, and 07:00 moves to 08:00.
        (23, "22:00", "07:00", 86_400.0),
        // From 08:00 on, no deadline is ever inside.
        (12, "22:00", "07:00", 43_200.0), (24, "22:00", "07:00", 86_400.0),
        (168, "22:00", "07:00", 604_800.0),
    ])
    func meanCountsTheMovedDeadlines(hours: Int, from: String, until: String, mean: Double) {
        #expect(night(from, until).meanSeconds(betweenDeadlines: hours * 3600) == mean)
    }

    @Test func nextDeadlinesAvoidSleep() {
        let schedule = CheckInSchedule(settings: every(8), lastCheckIn: noon)
        #expect(
            schedule.nextDeadlines(3) == [noon.adding(.hours(8)), eight, eight.adding(.hours(8))])
    }

    @Test func sleepHoursChangeTheDeadlines() {
        #expect(!every(8).hasSameDeadlines(as: .every(.hours(8))))
        #expect(!every(8).hasSameDeadlines(as: every(9)))
        #expect(!every(8).hasSameDeadlines(as: every(8, night("22:00", "06:00"))))
        var muted = every(8)
        muted.remindTwoHoursBefore = false
        #expect(every(8).hasSameDeadlines(as: muted))
    }

    @Test func onlyLocalTimesMoveToAnotherZone() {
        let plan = CheckInPlan.intervalWithSleep(night(in: "Europe/Berlin"))
        #expect(plan.timeZone == "Europe/Berlin")
        #expect(
            plan.moved(to: "Europe/Lisbon") == .intervalWithSleep(night(in: "Europe/Lisbon")))
        #expect(CheckInPlan.times(.dailyUntil10).moved(to: "Asia/Tokyo").timeZone == "Asia/Tokyo")
        for plan in [CheckInPlan.interval, .none] {
            #expect(plan.moved(to: "Asia/Tokyo") == plan && plan.timeZone == nil)
        }
    }
}
