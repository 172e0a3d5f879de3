import Foundation
import Testing

@testable import Domain

@Suite struct ClockCorrectionRuleTests {
    private let settings = CheckInSettings(
        intervalSeconds: 86_400, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true)

    private func memory(lastCheckIn: Date, heard: Date? = nil, reminders: SentReminders = [])
        -> ScheduleMemory
    {
        let schedule = CheckInSchedule(
            settings: settings, lastCheckIn: lastCheckIn, remindersSent: reminders)
        return ScheduleMemory(
            schedule: schedule, heardAt: heard, askedAt: nil, nextDueAt: schedule.nextDue(at: noon))
    }

    // MARK: After a clock that was ahead

    private let ahead = ClockCorrection(by: .hours(-2), since: noon, until: noon.adding(.hours(3)))
    private var afterAhead: Date { noon.adding(.hours(1)) }

    @Test func futureMomentIsMovedBackByTheError() {
        let moment = afterAhead.adding(.minutes(90))
        #expect(ahead.corrected(moment, at: afterAhead) == noon.adding(.minutes(30)))
        #expect(ahead.corrected(afterAhead, at: afterAhead) == afterAhead)
        #expect(ahead.corrected(afterAhead.adding(.hours(3)), at: afterAhead) == afterAhead)
    }

    /// The journey began at 12:30, by the clock at 14:30. Its return at 15:00 was chosen.
    @Test func journeyBeganEarlierAndItsReminderIsDueAgain() {
        let journey = Journey(
            id: JourneyID(UUID()), name: "Zugspitze", note: "",
            startedAt: noon.adding(.minutes(150)), expectedReturn: noon.adding(.hours(3)),
            graceMinutes: 10, responders: nil, tellsResponders: false,
            remindersSent: [.remindBefore])
        let corrected = journey.corrected(by: ahead, at: afterAhead)
        #expect(corrected.startedAt == noon.adding(.minutes(30)))
        #expect(corrected.returnChosenAt == corrected.startedAt)
        #expect(corrected.expectedReturn == journey.expectedReturn)
        #expect(corrected.remindersSent == [])
        let reminder = noon.adding(.minutes(165))
        #expect(corrected.nextDue == reminder)
        #expect(journey.corrected(by: ahead, at: reminder) == journey)
        let behind = ClockCorrection(by: .hours(2), since: noon, until: noon)
        #expect(journey.corrected(by: behind, at: afterAhead) == journey)
    }

    @Test func earlyReminderIsDueAgain() {
        let early = memory(
            lastCheckIn: noon.adding(.hours(-22)),
            reminders: [SentReminders(.twoHours), SentReminders(.thirtyMinutes)])
        let corrected = early.corrected(by: ahead, at: afterAhead)
        #expect(corrected.schedule.remindersSent == SentReminders(.twoHours))
        #expect(corrected.nextDueAt == noon.adding(.minutes(90)))
    }

    /// The message was due ten minutes before the deadline at 13:07, the call five minutes before.
    @Test func earlyLastCallIsDueAgain() {
        let early = memory(
            lastCheckIn: noon.adding(.minutes(67) - .hours(24)),
            reminders: [
                SentReminders(.twoHours), SentReminders(.thirtyMinutes), SentReminders(.message),
                SentReminders(.call),
            ])
        let corrected = early.corrected(by: ahead, at: afterAhead)
        #expect(
            corrected.schedule.remindersSent
                == [
                    SentReminders(.twoHours), SentReminders(.thirtyMinutes),
                    SentReminders(.message),
                ])
        #expect(corrected.nextDueAt == noon.adding(.minutes(62)))
    }

    /// A question after a restore may postpone a schedule by 15 minutes, a grace by one.
    @Test(arguments: [(1, false, true), (2, false, false), (15, true, true), (16, true, false)])
    func schedulePostponedTooFarIsDue(minutes: Int, isAsked: Bool, isKept: Bool) {
        var postponed = memory(lastCheckIn: noon.adding(.hours(-25)))
        postponed.nextDueAt = afterAhead.adding(.minutes(minutes))
        if isAsked { postponed.askedAt = afterAhead }
        let corrected = postponed.corrected(by: ahead, at: afterAhead)
        let due = isKept ? postponed.nextDueAt : postponed.schedule.nextDue(at: afterAhead)
        #expect(corrected.nextDueAt == due)
    }

    /// The last check-in and the question after a restore came at 14:30, which was 12:30.
    @Test func receiptAndQuestionMoveBack() {
        let wrong = noon.adding(.minutes(150))
        var early = memory(lastCheckIn: noon.adding(.hours(-25)), heard: wrong)
        early.askedAt = wrong
        let corrected = early.corrected(by: ahead, at: afterAhead)
        #expect(corrected.heardAt == noon.adding(.minutes(30)))
        #expect(corrected.askedAt == noon.adding(.minutes(30)))
        #expect(corrected.corrected(by: ahead, at: afterAhead) == corrected)
    }

    /// Ada changed her schedule while the clock was two hours ahead, at 14:30 instead of 12:30.
    private func changed(to plan: CheckInPlan, first deadline: Date) -> FirstDeadline? {
        var settings = settings
        settings.plan = plan
        let schedule = CheckInSchedule(
            settings: settings, lastCheckIn: noon,
            start: FirstDeadline(from: noon.adding(.minutes(150)), deadline: deadline))
        let memory = ScheduleMemory(
            schedule: schedule, heardAt: nil, askedAt: nil, nextDueAt: nil)
        return memory.corrected(by: ahead, at: afterAhead).schedule.start
    }

    @Test func firstDeadlineMovesBackWithTheChange() {
        let start = changed(to: .interval, first: noon.adding(.hours(26) + .minutes(30)))
        #expect(
            start
                == FirstDeadline(
                    from: noon.adding(.minutes(30)),
                    deadline: noon.adding(.hours(24) + .minutes(30))))
    }

    /// By the right clock, the deadline isn't in the sleep hours from 14:00 to 15:00.
    @Test func firstDeadlineIsMovedOutOfSleepAgain() throws {
        let sleep = SleepHours(
            from: try #require(TimeOfDay("14:00")), until: try #require(TimeOfDay("15:00")),
            timeZone: "Atlantic/Reykjavik")
        let start = changed(to: .intervalWithSleep(sleep), first: noon.adding(.hours(28)))
        #expect(
            start
                == FirstDeadline(
                    from: noon.adding(.minutes(30)),
                    deadline: noon.adding(.hours(24) + .minutes(30))))
    }

    @Test func chosenTimesDoNotMove() {
        let times = CheckInPlan.times(.dailyUntil10)
        let deadline = noon.adding(.hours(22))
        #expect(
            changed(to: times, first: deadline)
                == FirstDeadline(from: noon.adding(.minutes(30)), deadline: deadline))
    }

    /// Ada ended a pause at 12:30, by the clock at 14:30.
    @Test func endedPauseStaysOver() {
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        schedule.pause(until: noon.adding(.days(3)), at: noon)
        schedule.endPause(at: noon.adding(.minutes(150)))
        let memory = ScheduleMemory(
            schedule: schedule, heardAt: nil, askedAt: nil, nextDueAt: nil)
        let corrected = memory.corrected(by: ahead, at: afterAhead).schedule
        #expect(!corrected.isPaused(at: afterAhead))
        #expect(corrected.pause?.until == noon.adding(.minutes(30)))
        #expect(corrected.deadline == noon.adding(.hours(24) + .minutes(30)))
        #expect(!corrected.hasReminded)
    }

    @Test func endedPauseStaysOverAfterACheckIn() {
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        schedule.pause(until: noon.adding(.days(3)), at: noon)
        schedule.endPause(at: noon.adding(.minutes(150)))
        _ = schedule.checkIn(at: noon.adding(.minutes(160)))
        let memory = ScheduleMemory(
            schedule: schedule, heardAt: nil, askedAt: nil, nextDueAt: nil)
        #expect(!memory.corrected(by: ahead, at: afterAhead).schedule.isPaused(at: afterAhead))
    }

    /// The chosen end comes again by the right clock, and another pause may begin soon.
    @Test func pauseThatEndedByTheWrongClockGoesOn() {
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        let (begin, end) = (noon.adding(.minutes(125)), noon.adding(.minutes(150)))
        schedule.pause(until: end, at: begin)
        schedule.remindersSent.formUnion(.pauseEnd)
        let memory = ScheduleMemory(
            schedule: schedule, heardAt: nil, askedAt: nil, nextDueAt: nil)
        let corrected = memory.corrected(by: ahead, at: afterAhead).schedule
        #expect(corrected.pause == CheckInPause(began: noon.adding(.minutes(5)), until: end))
        #expect(corrected.isPaused(at: afterAhead))
        // The responders are told again at its end.
        #expect(!corrected.remindersSent.contains(.pauseEnd))
    }

    // MARK: After a clock that was behind

    private let behind = ClockCorrection(by: .hours(2), since: noon, until: noon.adding(.hours(3)))
    private var afterBehind: Date { noon.adding(.hours(5)) }

    @Test(arguments: [
        (Duration.zero, true), (.milliseconds(-1), false), (.hours(3), true),
        (.hours(3) + .milliseconds(1), false),
    ])
    func onlyCheckInByWrongTimeIsMovedOnce(after: Duration, isMoved: Bool) {
        let moment = noon.adding(after)
        let old = memory(lastCheckIn: moment, heard: moment)
        let corrected = old.corrected(by: behind, at: afterBehind)
        #expect(corrected.schedule.lastCheckIn == (isMoved ? moment.adding(.hours(2)) : moment))
        #expect(corrected.corrected(by: behind, at: afterBehind) == corrected)
    }

    /// The device sent the time of sending, so the moment lies before the receipt.
    @Test(arguments: [
        (Duration.milliseconds(40), true), (CheckInRules.clockSkew, true),
        (CheckInRules.clockSkew + .milliseconds(1), false), (.milliseconds(-1), false),
    ])
    func checkInSentAtOnceIsMoved(age: Duration, isMoved: Bool) {
        let heard = noon.adding(.hours(1))
        let moment = heard.adding(.zero - age)
        let old = memory(lastCheckIn: moment, heard: heard)
        let corrected = old.corrected(by: behind, at: afterBehind)
        #expect(corrected.schedule.lastCheckIn == (isMoved ? moment.adding(.hours(2)) : moment))
        #expect(corrected.corrected(by: behind, at: afterBehind) == corrected)
    }

    /// The time of this check-in came from the device's right clock, so it stays.
    @Test func checkInByDeviceTimeStays() {
        let old = memory(lastCheckIn: noon.adding(.hours(1)), heard: noon.adding(.hours(2)))
        #expect(old.corrected(by: behind, at: afterBehind) == old)
    }

    /// Ada changed her schedule while the clock was two hours behind, at 13:00 instead of 15:00.
    private func forwarded(
        _ plan: CheckInPlan, from: Date = noon.adding(.hours(1)), first deadline: Date
    ) -> FirstDeadline? {
        var settings = settings
        settings.plan = plan
        let schedule = CheckInSchedule(
            settings: settings, lastCheckIn: noon.adding(.hours(-1)),
            start: FirstDeadline(from: from, deadline: deadline))
        return forwarded(schedule).start
    }

    private func forwarded(_ schedule: CheckInSchedule) -> CheckInSchedule {
        ScheduleMemory(schedule: schedule, heardAt: nil, askedAt: nil, nextDueAt: nil)
            .forwardingStart(by: behind, at: afterBehind).schedule
    }

    @Test(arguments: [
        (Duration.zero, true), (.milliseconds(-1), false), (.hours(3), true),
        (.hours(3) + .milliseconds(1), false),
    ])
    func firstDeadlineMovesForwardWithTheChange(after: Duration, isMoved: Bool) {
        let from = noon.adding(after)
        let moved = isMoved ? from.adding(.hours(2)) : from
        #expect(
            forwarded(.interval, from: from, first: from.adding(.hours(24)))
                == FirstDeadline(from: moved, deadline: moved.adding(.hours(24))))
    }

    /// The first chosen time is at least an hour after the change.
    @Test(arguments: [
        ("10:00", Duration.hours(22), Duration.hours(22)), ("16:00", .hours(4), .hours(4)),
        ("15:59", .minutes(239), .hours(24) + .minutes(239)),
    ])
    func chosenTimeStaysUnlessItIsTooSoon(
        time: String, first: Duration, corrected: Duration
    ) {
        let times = CheckInPlan.times(CheckInTimes(.until(time)))
        #expect(
            forwarded(times, first: noon.adding(first))
                == FirstDeadline(
                    from: noon.adding(.hours(3)), deadline: noon.adding(corrected)))
    }

    @Test func intervalAfterAPauseCountsFromItsRightEnd() {
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        schedule.pause(until: noon.adding(.days(3)), at: noon)
        schedule.endPause(at: noon.adding(.hours(1)))
        let corrected = forwarded(schedule)
        #expect(corrected.pause?.until == noon.adding(.hours(3)))
        #expect(corrected.deadline == noon.adding(.hours(27)))
        #expect(!corrected.isPaused(at: afterBehind))
    }

    @Test func chosenEndOfAPauseDoesNotMove() {
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        schedule.pause(until: noon.adding(.hours(1)), at: noon)
        #expect(forwarded(schedule) == schedule)
    }

    @Test func clockThatWasAheadForwardsNothing() {
        let moment = noon.adding(.hours(1))
        #expect(ahead.forwarded(moment, at: afterAhead) == moment)
        #expect(behind.forwarded(moment, at: afterBehind) == noon.adding(.hours(3)))
        #expect(behind.forwarded(moment, at: noon.adding(.hours(2))) == noon.adding(.hours(2)))
    }
}

@Suite struct DeviceTimeTests {
    private func moment(_ occurred: Duration, gap: Duration) throws -> Date {
        try CheckInRules.moment(noon.adding(occurred), receivedAt: noon, clockGap: gap)
    }

    @Test func deviceAgreeingWithSlowMachineIsTrusted() throws {
        #expect(try moment(.days(-2), gap: .days(-2)) == noon)
        #expect(try moment(.days(-2) - .minutes(10), gap: .days(-2)) == noon.adding(.minutes(-10)))
    }

    @Test func deviceAgreeingWithServerTimeIsTrusted() throws {
        #expect(try moment(.zero, gap: .days(-2)) == noon)
        #expect(try moment(.minutes(-10), gap: .days(-2)) == noon.adding(.minutes(-10)))
        #expect(try moment(.minutes(-10), gap: .days(2)) == noon.adding(.minutes(-10)))
    }

    @Test func deviceAgreeingWithFastMachineIsTrusted() throws {
        #expect(try moment(.minutes(50), gap: .minutes(50)) == noon)
        #expect(try moment(.minutes(40), gap: .minutes(50)) == noon.adding(.minutes(-10)))
    }

    @Test(arguments: [(Duration.minutes(52), true), (.minutes(52) + .milliseconds(1), false)])
    func momentBeyondGapPlus2MinutesIsRefused(ahead: Duration, isAccepted: Bool) {
        #expect(((try? moment(ahead, gap: .minutes(50))) != nil) == isAccepted)
    }

    @Test func aLastCheckInInTheFutureGivesWay() {
        let settings = CheckInSettings.standard
        var schedule = CheckInSchedule(settings: settings, lastCheckIn: noon.aMillisecondAfter)
        schedule.forgetFuture(after: noon)
        let moves = schedule.checkIn(at: noon)
        #expect(moves)
        var present = CheckInSchedule(settings: settings, lastCheckIn: noon)
        present.forgetFuture(after: noon)
        #expect(present.lastCheckIn == noon)
    }
}
