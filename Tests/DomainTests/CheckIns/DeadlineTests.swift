import Foundation
import Testing

@testable import Domain

/// The deadline is the last check-in plus the interval.
@Suite struct DeadlineTests {
    private let tomorrow = noon.adding(.hours(24))

    @Test func noDeadlineBeforeTheFirstCheckIn() {
        let schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
        #expect(schedule.deadline == nil)
        #expect(schedule.nextDue(at: noon) == nil)
        #expect(schedule.dueAction(at: noon) == nil)
        #expect(!schedule.isMissed(at: .distantFuture))
    }

    @Test func firstCheckInArmsTheUser() {
        var schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
        let moved = schedule.checkIn(at: noon)
        #expect(moved)
        #expect(schedule.deadline == tomorrow)
        #expect(schedule.nextDue(at: noon) == tomorrow.adding(.hours(-2)))
    }

    @Test func missedDeadlineIsReportedOnce() {
        var schedule = CheckInSchedule(
            settings: .every(.hours(24), twoHours: false, thirtyMinutes: false), lastCheckIn: noon)
        #expect(schedule.nextDue(at: noon) == tomorrow)
        #expect(!schedule.isMissed(at: tomorrow.aMillisecondBefore))
        #expect(schedule.act(at: tomorrow.aMillisecondBefore) == nil)
        #expect(schedule.isMissed(at: tomorrow))
        #expect(schedule.act(at: tomorrow) == .missed(deadline: tomorrow))

        #expect(schedule.nextDue(at: noon) == nil)
        #expect(schedule.act(at: tomorrow) == nil)
        #expect(schedule.act(at: tomorrow.adding(.days(30))) == nil)
        #expect(schedule.isMissed(at: tomorrow.adding(.days(30))))
    }

    @Test func outageSkipsRemindersBeforeAMissedDeadline() {
        var schedule = CheckInSchedule.daily
        #expect(schedule.act(at: tomorrow.adding(.days(2))) == .missed(deadline: tomorrow))
        #expect(schedule.act(at: tomorrow.adding(.days(2))) == nil)
    }

    @Test func aCheckInStartsOver() {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: tomorrow)
        let late = tomorrow.adding(.minutes(40))
        let moved = schedule.checkIn(at: late)
        #expect(moved)
        #expect(schedule == CheckInSchedule(settings: schedule.settings, lastCheckIn: late))
        #expect(!schedule.isMissed(at: late))
    }

    @Test(
        "only a check-in newer than the last one moves the deadline",
        arguments: [-86_400_000, -1, 0])
    func olderCheckIn(milliseconds: Int) {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: tomorrow.adding(.hours(-2)))
        let before = schedule
        let moved = schedule.checkIn(at: noon.adding(.milliseconds(milliseconds)))
        #expect(!moved)
        #expect(schedule == before)
    }

    @Test func millisecondNewerCheckInMovesTheDeadline() {
        var schedule = CheckInSchedule.daily
        let moved = schedule.checkIn(at: noon.aMillisecondAfter)
        #expect(moved)
        #expect(schedule.deadline == tomorrow.aMillisecondAfter)
    }

    @Test func checkInAfterItsDeadlineIsMissedAtOnce() {
        var schedule = CheckInSchedule.daily
        let moved = schedule.checkIn(at: noon.adding(.minutes(1)))
        #expect(moved)
        let now = noon.adding(.hours(48))
        #expect(schedule.act(at: now) == .missed(deadline: tomorrow.adding(.minutes(1))))
    }
}

@Suite struct SettingsChangeTests {
    private let tomorrow = noon.adding(.hours(24))

    @Test func aShorterIntervalCanBeMissedNow() {
        var schedule = CheckInSchedule.daily
        schedule.apply(.every(.hours(8)), at: noon)
        let deadline = noon.adding(.hours(8))
        #expect(schedule.deadline == deadline)
        #expect(schedule.dueAction(at: deadline.aMillisecondBefore) != .missed(deadline: deadline))
        #expect(schedule.dueAction(at: deadline) == .missed(deadline: deadline))
        #expect(schedule.dueAction(at: noon.adding(.hours(20))) == .missed(deadline: deadline))
    }

    @Test func longerIntervalRepeatsTheReminders() {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: tomorrow.adding(.minutes(-30)))
        schedule.apply(.every(.hours(48)), at: noon)
        #expect(schedule.deadline == noon.adding(.hours(48)))
        #expect(schedule.nextDue(at: noon) == noon.adding(.hours(46)))
        #expect(schedule.dueAction(at: tomorrow) == nil)
    }

    @Test func extendedDeadlineCanBeMissedAgain() {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: tomorrow)
        schedule.apply(.every(.hours(48)), at: noon)
        #expect(!schedule.isMissed(at: tomorrow))
        #expect(
            schedule.act(at: noon.adding(.hours(48))) == .missed(deadline: noon.adding(.hours(48)))
        )
    }

    @Test func sameIntervalKeepsSentReminders() {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: tomorrow.adding(.hours(-2)))
        _ = schedule.act(at: tomorrow)
        schedule.apply(.every(.hours(24), twoHours: false), at: noon)
        #expect(schedule.hasOpenedAlert)
        #expect(schedule.remindersSent == SentReminders(.twoHours))
        #expect(schedule.act(at: tomorrow.adding(.hours(1))) == nil)
    }
}
