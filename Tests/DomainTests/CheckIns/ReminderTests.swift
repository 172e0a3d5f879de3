import Foundation
import Testing

@testable import Domain

@Suite struct ReminderTests {
    private let deadline = noon.adding(.hours(24))
    private var twoHoursBefore: Date { deadline.adding(.hours(-2)) }
    private var thirtyMinutesBefore: Date { deadline.adding(.minutes(-30)) }

    @Test func aDayWithoutACheckIn() {
        var schedule = CheckInSchedule.daily
        #expect(schedule.nextDue(at: noon) == twoHoursBefore)
        #expect(schedule.act(at: twoHoursBefore.aMillisecondBefore) == nil)
        #expect(
            schedule.act(at: twoHoursBefore)
                == .remind(.twoHours, deadline: deadline, covers: SentReminders(.twoHours)))
        #expect(schedule.act(at: twoHoursBefore) == nil)

        #expect(schedule.nextDue(at: noon) == thirtyMinutesBefore)
        #expect(schedule.act(at: thirtyMinutesBefore.aMillisecondBefore) == nil)
        #expect(
            schedule.act(at: thirtyMinutesBefore)
                == .remind(
                    .thirtyMinutes, deadline: deadline,
                    covers: [SentReminders(.twoHours), SentReminders(.thirtyMinutes)]))
        #expect(schedule.act(at: thirtyMinutesBefore) == nil)

        #expect(schedule.nextDue(at: noon) == deadline)
        #expect(schedule.act(at: deadline.aMillisecondBefore) == nil)
        #expect(schedule.act(at: deadline) == .missed(deadline: deadline))
    }

    @Test func lastFiveMinutesCountAsAnAlarm() {
        var schedule = CheckInSchedule.daily
        #expect(!schedule.isAlarmNext(at: noon))
        _ = schedule.act(at: twoHoursBefore)
        #expect(!schedule.isAlarmNext(at: twoHoursBefore))
        // A reminder that comes so late would delay the alarm.
        let fiveMinutesBefore = deadline.adding(.minutes(-5))
        #expect(!schedule.isAlarmNext(at: fiveMinutesBefore))
        #expect(schedule.isAlarmNext(at: fiveMinutesBefore.adding(.milliseconds(1))))
        _ = schedule.act(at: thirtyMinutesBefore)
        #expect(schedule.isAlarmNext(at: thirtyMinutesBefore))
        _ = schedule.act(at: deadline)
        #expect(!schedule.isAlarmNext(at: deadline))
    }

    @Test func afterAPauseOnlyTheUrgentReminderIsSent() {
        var schedule = CheckInSchedule.daily
        let covers: SentReminders = [SentReminders(.twoHours), SentReminders(.thirtyMinutes)]
        #expect(
            schedule.act(at: thirtyMinutesBefore)
                == .remind(.thirtyMinutes, deadline: deadline, covers: covers))
        #expect(schedule.act(at: deadline.aMillisecondBefore) == nil)
        #expect(schedule.nextDue(at: noon) == deadline)
    }

    @Test func earlierPauseEndSendsTheTwoHourReminder() {
        var schedule = CheckInSchedule.daily
        let action = schedule.act(at: thirtyMinutesBefore.aMillisecondBefore)
        #expect(action == .remind(.twoHours, deadline: deadline, covers: SentReminders(.twoHours)))
        #expect(schedule.nextDue(at: noon) == thirtyMinutesBefore)
    }

    @Test(
        "each reminder can be turned off",
        arguments: [(true, true, -120), (false, true, -30), (true, false, -120), (false, false, 0)])
    func switches(twoHours: Bool, thirtyMinutes: Bool, firstDueInMinutes: Int) {
        let settings = CheckInSettings.every(
            .hours(24), twoHours: twoHours, thirtyMinutes: thirtyMinutes)
        let schedule = CheckInSchedule(settings: settings, lastCheckIn: noon)
        #expect((schedule.moment(of: .twoHours) != nil) == twoHours)
        #expect((schedule.moment(of: .thirtyMinutes) != nil) == thirtyMinutes)
        #expect(schedule.nextDue(at: noon) == deadline.adding(.minutes(firstDueInMinutes)))
    }

    @Test(
        "a reminder that is not shorter than the interval is skipped",
        arguments: [
            (7_201, true, true), (7_200, false, true), (3_600, false, true), (1_801, false, true),
            (1_800, false, false), (1, false, false),
        ])
    func shortIntervals(seconds: Int, twoHours: Bool, thirtyMinutes: Bool) {
        let schedule = CheckInSchedule(settings: .every(.seconds(seconds)), lastCheckIn: noon)
        #expect((schedule.moment(of: .twoHours) != nil) == twoHours)
        #expect((schedule.moment(of: .thirtyMinutes) != nil) == thirtyMinutes)
        #expect(schedule.dueAction(at: noon) == nil)
    }

    @Test func checkInCancelsPendingReminders() {
        var schedule = CheckInSchedule.daily
        _ = schedule.act(at: twoHoursBefore)
        let checkIn = twoHoursBefore.adding(.minutes(1))
        _ = schedule.checkIn(at: checkIn)
        #expect(schedule.act(at: thirtyMinutesBefore) == nil)
        #expect(schedule.act(at: deadline) == nil)
        #expect(schedule.nextDue(at: noon) == checkIn.adding(.hours(22)))
        #expect(schedule.dueAction(at: checkIn.adding(.hours(22))) != nil)
    }

    @Test func disabledReminderIsNotDue() {
        var schedule = CheckInSchedule.daily
        schedule.apply(.every(.hours(24), twoHours: false), at: noon)
        #expect(schedule.act(at: twoHoursBefore) == nil)
        #expect(schedule.nextDue(at: noon) == thirtyMinutesBefore)
    }

    @Test func theSetOfSentRemindersFitsAColumn() {
        #expect(SentReminders(.twoHours).rawValue == 1)
        #expect(SentReminders(.thirtyMinutes).rawValue == 2)
        #expect(
            SentReminders(rawValue: 3) == [SentReminders(.twoHours), SentReminders(.thirtyMinutes)])
    }
}
