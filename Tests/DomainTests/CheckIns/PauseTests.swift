import Foundation
import Testing

@testable import Domain

/// A pause begins an hour after the check-in at noon. All local times are UTC.
@Suite struct PauseTests {
    private let begin = noon.adding(.hours(1))
    private let end = noon.adding(.days(5))

    private func paused(
        _ schedule: CheckInSchedule = .daily, until end: Date? = nil
    ) -> CheckInSchedule {
        var schedule = schedule
        schedule.pause(until: end ?? self.end, at: begin)
        return schedule
    }

    private let daily10 = CheckInSchedule(settings: .at(.dailyUntil10), lastCheckIn: noon)

    // MARK: Limits

    @Test(
        arguments: [
            (Duration.zero, .pauseEndPassed), (.milliseconds(1), nil), (.days(30), nil),
            (.days(30) + .milliseconds(1), .pauseEnd), (.hours(-1), .pauseEndPassed),
        ] as [(Duration, RefusalWords?)])
    func pauseEndsWithin30Days(length: Duration, words: RefusalWords?) {
        let error = refusal { try CheckInPause.check(until: noon.adding(length), at: noon) }
        #expect(error == words.map { CommandError.invalidArgument(field: "until", $0.detail) })
    }

    // MARK: Deadlines

    @Test func beginningIsACheckIn() {
        let schedule = paused()
        #expect(schedule.lastCheckIn == begin)
        #expect(schedule.pause == CheckInPause(began: begin, until: end))
        #expect(schedule.isPaused(at: begin) && schedule.isPaused(at: end.aMillisecondBefore))
        #expect(!schedule.isPaused(at: end))
    }

    @Test func intervalCountsFromTheEnd() {
        var schedule = paused()
        _ = schedule.act(at: end)
        let deadline = end.adding(.hours(24))
        #expect(schedule.deadline == deadline)
        #expect(!schedule.isMissed(at: deadline.aMillisecondBefore))
        #expect(schedule.dueAction(at: deadline) == .missed(deadline: deadline))
    }

    @Test func firstTimeIsTwoHoursAfterTheEnd() {
        let eight = utc("2026-03-06T08:00:00Z")
        #expect(paused(daily10, until: eight).deadline == utc("2026-03-06T10:00:00Z"))
        #expect(
            paused(daily10, until: eight.aMillisecondAfter).deadline
                == utc("2026-03-07T10:00:00Z"))
    }

    @Test func withoutDeadlinesThereIsNoneAfterTheEnd() {
        let idle = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let schedule = paused(idle)
        #expect(schedule.isPaused(at: begin))
        #expect(schedule.deadline == nil)
    }

    @Test(arguments: [CheckInSettings.every(.hours(24)), .at(.dailyUntil10)])
    func checkInDoesNotEndThePause(settings: CheckInSettings) {
        var schedule = paused(CheckInSchedule(settings: settings, lastCheckIn: noon))
        let deadline = schedule.deadline
        for hours in [1, 30, 100, 118] {
            let moved = schedule.checkIn(at: begin.adding(.hours(hours)))
            #expect(moved)
            #expect(schedule.isPaused(at: end.aMillisecondBefore))
            #expect(schedule.deadline == deadline)
        }
    }

    /// An update of the time zones moves the windows, but not what was stored before.
    @Test(arguments: [-60, 30])
    func firstDeadlineFollowsTheTimeZones(minutes: Int) {
        let schedule = paused(daily10)
        #expect(schedule.inPresentTimeZones == schedule)
        var stale = schedule
        stale.start?.deadline = end.adding(.hours(22) + .minutes(minutes))
        #expect(stale.inPresentTimeZones == schedule)
    }

    @Test func checkInAfterTheEndCounts() {
        var schedule = paused()
        let late = end.adding(.hours(3))
        _ = schedule.checkIn(at: late)
        #expect(schedule.deadline == late.adding(.hours(24)))
        var times = paused(daily10, until: utc("2026-03-06T07:00:00Z"))
        _ = times.checkIn(at: utc("2026-03-06T08:00:00Z"))
        #expect(times.deadline == utc("2026-03-07T10:00:00Z"))
    }

    /// After an end at 09:00, a check-in at 09:10 doesn't bring back the deadline of 10:00.
    @Test func checkInAfterTheEndMovesNoDeadlineBack() {
        let times = CheckInTimes(.until("10:00", from: "09:20"), .until("18:00", from: "17:00"))
        let schedule = CheckInSchedule(settings: .at(times), lastCheckIn: noon)
        var paused = paused(schedule, until: utc("2026-03-06T09:00:00Z"))
        let first = utc("2026-03-06T18:00:00Z")
        #expect(paused.deadline == first)
        _ = paused.checkIn(at: utc("2026-03-06T09:10:00Z"))
        #expect(paused.deadline == first)
    }

    // MARK: Changes

    @Test func newEndKeepsTheBeginning() {
        var schedule = paused()
        let (now, later) = (noon.adding(.days(2)), end.adding(.days(1)))
        schedule.pause(until: later, at: now)
        #expect(schedule.pause == CheckInPause(began: begin, until: later))
        #expect(schedule.lastCheckIn == begin)
        #expect(schedule.deadline == later.adding(.hours(24)))
    }

    @Test func endingEarlyCountsFromThere() {
        var schedule = paused()
        let now = noon.adding(.days(2))
        schedule.endPause(at: now)
        #expect(!schedule.isPaused(at: now))
        #expect(schedule.pause?.until == now)
        #expect(schedule.deadline == now.adding(.hours(24)))
        #expect(schedule.lastCheckIn == begin)
        let ended = schedule
        schedule.endPause(at: now.adding(.hours(1)))
        #expect(schedule == ended)
    }

    @Test func newPauseAfterAnEndedOneIsACheckIn() {
        var schedule = paused()
        let now = end.adding(.hours(1))
        schedule.pause(until: now.adding(.days(1)), at: now)
        #expect(schedule.lastCheckIn == now)
        #expect(schedule.pause?.began == now)
    }

    @Test func newSettingsCountFromTheEndOfThePause() {
        var schedule = paused()
        let now = noon.adding(.days(2))
        schedule.apply(.every(.hours(8)), at: now)
        #expect(schedule.deadline == end.adding(.hours(8)))
        schedule.apply(.at(.dailyUntil10), at: now)
        // The pause ends at noon.
        #expect(schedule.deadline == utc("2026-03-07T10:00:00Z"))
        schedule.apply(.planned(.none), at: now)
        #expect(schedule.deadline == nil)
        #expect(schedule.nextDue(at: now) == end.adding(.hours(-24)))
        schedule.apply(.every(.hours(8)), at: now)
        #expect(schedule.deadline == end.adding(.hours(8)))
        #expect(schedule.isPaused(at: now))
    }

    /// The pause may be long ago, but no check-in has come since.
    @Test func newIntervalAfterThePauseCountsFromItsEnd() {
        var schedule = paused()
        schedule.apply(.every(.hours(8)), at: end.adding(.hours(1)))
        #expect(schedule.deadline == end.adding(.hours(8)))
        _ = schedule.checkIn(at: end.adding(.hours(2)))
        schedule.apply(.every(.hours(16)), at: end.adding(.hours(3)))
        #expect(schedule.deadline == end.adding(.hours(18)))
    }

    @Test func newIntervalAfterOtherTimesCountsFromTheEnd() {
        var schedule = paused()
        schedule.apply(.at(.dailyUntil10), at: end.adding(.hours(1)))
        schedule.apply(.every(.hours(8)), at: end.adding(.hours(2)))
        #expect(schedule.deadline == end.adding(.hours(8)))
    }

    @Test func endedPauseCountsUntilANewerCheckIn() {
        var schedule = paused()
        #expect(schedule.endedPause(at: end.aMillisecondBefore) == nil)
        #expect(schedule.endedPause(at: end) == CheckInPause(began: begin, until: end))
        _ = schedule.checkIn(at: end.aMillisecondBefore)
        #expect(schedule.endedPause(at: end) == CheckInPause(began: begin, until: end))
        _ = schedule.checkIn(at: end)
        #expect(schedule.endedPause(at: end) == nil)
        #expect(CheckInSchedule.daily.endedPause(at: end) == nil)
    }

    // MARK: Reminders

    private let covers = (
        day: SentReminders(.dayBefore), hours: SentReminders(.twoHoursBefore)
    )

    @Test func remindersComeADayAndTwoHoursBeforeTheEnd() {
        var schedule = paused()
        let (day, hours) = (end.adding(.hours(-24)), end.adding(.hours(-2)))
        #expect(schedule.nextDue(at: begin) == day)
        #expect(schedule.act(at: day.aMillisecondBefore) == nil)
        #expect(schedule.act(at: day) == .remindOfPauseEnd(until: end, covers: covers.day))
        #expect(schedule.act(at: day) == nil)
        #expect(schedule.nextDue(at: day) == hours)
        #expect(schedule.act(at: hours.aMillisecondBefore) == nil)
        #expect(schedule.act(at: hours) == .remindOfPauseEnd(until: end, covers: covers.hours))
        #expect(schedule.act(at: hours) == nil)
        // Then comes the end itself.
        #expect(schedule.nextDue(at: hours) == end)
    }

    @Test func afterAnOutageOneReminderCoversBoth() {
        var schedule = paused()
        let now = end.adding(.hours(-1))
        #expect(
            schedule.act(at: now)
                == .remindOfPauseEnd(until: end, covers: covers.day.union(covers.hours)))
        #expect(schedule.act(at: now) == nil)
    }

    @Test func noReminderAfterTheEnd() {
        var schedule = paused()
        #expect(schedule.dueAction(at: end.aMillisecondBefore) != nil)
        #expect(schedule.act(at: end) == .announcePauseEnd(covers: .pauseEnd))
        #expect(schedule.dueAction(at: end) == nil)
        #expect(schedule.nextDue(at: end) == end.adding(.hours(22)))
    }

    /// A server that was down for a day doesn't announce it any more.
    @Test func endOfAPauseIsNewsForADay() {
        let schedule = paused(CheckInSchedule(settings: .planned(.none), lastCheckIn: noon))
        let late = end.adding(.days(1))
        #expect(
            schedule.dueAction(at: late.aMillisecondBefore) == .announcePauseEnd(covers: .pauseEnd))
        #expect(schedule.nextDue(at: late.aMillisecondBefore) == end)
        #expect(schedule.dueAction(at: late) == nil)
        #expect(schedule.nextDue(at: late) == nil)
    }

    @Test func noReminderAfterAnEarlyEnd() {
        var schedule = paused()
        schedule.endPause(at: end.adding(.hours(-30)))
        #expect(schedule.act(at: end.adding(.hours(-24))) == nil)
    }

    @Test(arguments: [
        (Duration.hours(24) + .milliseconds(1), -24), (.hours(24), -2),
        (.hours(2) + .milliseconds(1), -2), (.hours(2), 0), (.minutes(5), 0),
    ])
    func shortPausesHaveFewerReminders(length: Duration, firstInHours: Int) {
        let end = begin.adding(length)
        #expect(
            paused(until: end).nextDue(at: begin) == end.adding(.hours(firstInHours)))
    }

    @Test func newEndHasItsOwnReminders() {
        var schedule = paused()
        _ = schedule.act(at: end.adding(.hours(-24)))
        let (now, later) = (end.adding(.hours(-20)), end.adding(.days(2)))
        schedule.pause(until: later, at: now)
        #expect(schedule.nextDue(at: now) == later.adding(.hours(-24)))
    }

    @Test func newSettingsRepeatNoReminderOfThePause() {
        var schedule = paused()
        let day = end.adding(.hours(-24))
        _ = schedule.act(at: day)
        schedule.apply(.every(.hours(48)), at: day)
        #expect(schedule.act(at: day) == nil)
        #expect(schedule.nextDue(at: day) == end.adding(.hours(-2)))
    }

    @Test func checkInRepeatsNoReminderOfThePause() {
        var schedule = paused()
        let day = end.adding(.hours(-24))
        _ = schedule.act(at: day)
        _ = schedule.checkIn(at: day)
        #expect(schedule.act(at: day) == nil)
    }

    @Test func endedPauseLeavesNoReminders() {
        var schedule = paused()
        _ = schedule.act(at: end.adding(.hours(-2)))
        _ = schedule.checkIn(at: end.aMillisecondAfter)
        #expect(!schedule.hasReminded)
    }

    @Test func sentRemindersFitTheSameColumn() {
        #expect(covers.day.rawValue == 4 && covers.hours.rawValue == 8)
        let all = Reminder.allCases.map(\.rawValue) + PauseReminder.allCases.map(\.rawValue)
        #expect(Set(all).count == all.count)
    }

    @Test func pauseRoundTrips() throws {
        let pause = CheckInPause(began: begin, until: end)
        let json = try WireJSON.encoder().encode(pause)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"began":"2026-03-01T13:00:00.000Z","until":"2026-03-06T12:00:00.000Z"}"#)
        #expect(try WireJSON.decoder().decode(CheckInPause.self, from: json) == pause)
    }
}
