import Foundation
import Testing

@testable import Domain

/// Changes of schedule (product.md, "Schedules"). All local times are UTC.
@Suite struct CheckInPlanTests {
    /// The deadline before the change.
    private let old = noon.adding(.hours(24))

    private func deadline(
        changing schedule: CheckInSchedule = .daily, to settings: CheckInSettings, at now: Date
    ) -> Date? {
        var schedule = schedule
        schedule.apply(settings, at: now)
        return schedule.deadline
    }

    // MARK: To times

    @Test func firstNewDeadlineIsAnHourAway() {
        let now = utc("2026-03-02T09:00:00Z")
        #expect(deadline(to: .at(.dailyUntil10), at: now) == utc("2026-03-02T10:00:00Z"))
        #expect(
            deadline(to: .at(.dailyUntil10), at: now.aMillisecondAfter)
                == utc("2026-03-03T10:00:00Z"))
    }

    /// 3 March 2026 is a Tuesday.
    @Test(arguments: [
        ("11:59", Weekday.tuesday, "2026-03-03T11:59:00Z"),
        ("12:00", .tuesday, "2026-03-03T12:00:00Z"),
        ("12:01", .tuesday, "2026-03-03T12:00:00Z"),
        ("10:00", .wednesday, "2026-03-03T12:00:00Z"),
        ("10:00", .sunday, "2026-03-03T12:00:00Z"),
    ])
    func firstNewDeadlineIsAtMost24HoursAfterTheOld(time: String, day: Weekday, first: String) {
        let times = CheckInTimes(.until(time, on: [day]))
        #expect(deadline(to: .at(times), at: noon.adding(.hours(1))) == utc(first))
    }

    @Test func longOverdueIsDueInAnHour() {
        let now = noon.adding(.days(10))
        let sundays = CheckInTimes(.until("11:00", on: [.sunday]))
        #expect(deadline(to: .at(sundays), at: now) == now.adding(.hours(1)))
    }

    @Test func checkInEndsTheFirstDeadline() {
        let sundays = CheckInTimes(.until("10:00", on: [.sunday]))
        var schedule = CheckInSchedule.daily
        let now = noon.adding(.hours(1))
        schedule.apply(.at(sundays), at: now)
        #expect(schedule.opening == nil)
        _ = schedule.checkIn(at: now.adding(.minutes(1)))
        #expect(schedule.deadline == utc("2026-03-08T10:00:00Z"))
        #expect(schedule.opening == utc("2026-03-08T04:00:00Z"))
    }

    /// A check-in between the change and the first deadline never moves that deadline back.
    @Test func earlyCheckInKeepsTheFirstDeadline() {
        var schedule = CheckInSchedule.daily
        schedule.apply(.at(.dailyUntil10), at: utc("2026-03-02T09:30:00Z"))
        let first = utc("2026-03-03T10:00:00Z")
        #expect(schedule.deadline == first)
        for text in ["2026-03-02T09:45:00Z", "2026-03-02T20:00:00Z", "2026-03-03T03:59:59Z"] {
            _ = schedule.checkIn(at: utc(text))
            #expect(schedule.deadline == first)
        }
        _ = schedule.checkIn(at: utc("2026-03-03T04:00:00Z"))
        #expect(schedule.deadline == first.adding(.hours(24)))
    }

    @Test func unknownZoneCountsByTheInterval() {
        let times = CheckInTimes(.until("10:00"), in: "Europe/Atlantis")
        let schedule = CheckInSchedule(settings: .at(times), lastCheckIn: noon)
        #expect(schedule.deadline == old)
    }

    @Test func withoutACheckInThereIsNoDeadline() {
        var schedule = CheckInSchedule(settings: .standard, lastCheckIn: nil)
        schedule.apply(.at(.dailyUntil10), at: noon)
        #expect(schedule.deadline == nil)
        _ = schedule.checkIn(at: noon)
        #expect(schedule.deadline == utc("2026-03-02T10:00:00Z"))
    }

    // MARK: To an interval, and to none

    @Test func intervalCountsFromTheLastCheckIn() {
        #expect(deadline(to: .every(.hours(8)), at: old) == noon.adding(.hours(8)))
        var schedule = CheckInSchedule(settings: .at(.dailyUntil10), lastCheckIn: noon)
        schedule.apply(.every(.hours(8)), at: noon.adding(.hours(20)))
        #expect(schedule.deadline == noon.adding(.hours(8)))
    }

    @Test func withoutADeadlineBeforeTheIntervalCountsFromNow() {
        let idle = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let now = noon.adding(.days(40))
        #expect(deadline(changing: idle, to: .every(.hours(8)), at: now) == now.adding(.hours(8)))
        // A second change still doesn't count from the check-in of 40 days ago.
        var schedule = idle
        schedule.apply(.every(.hours(8)), at: now)
        schedule.apply(.every(.hours(16)), at: now.adding(.hours(1)))
        #expect(schedule.deadline == now.adding(.hours(16)))
    }

    @Test func withoutADeadlineBeforeTheFirstIsOneOfTheTimes() {
        let idle = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let sundays = CheckInTimes(.until("10:00", on: [.sunday]))
        #expect(
            deadline(changing: idle, to: .at(sundays), at: utc("2026-03-08T09:00:00.001Z"))
                == utc("2026-03-15T10:00:00Z"))
    }

    @Test func withoutDeadlinesNothingIsDue() {
        var schedule = CheckInSchedule.daily
        schedule.apply(.planned(.none), at: noon.adding(.hours(1)))
        #expect(schedule.deadline == nil)
        #expect(schedule.nextDue(at: noon) == nil)
        #expect(schedule.dueAction(at: .distantFuture) == nil)
        #expect(!schedule.isMissed(at: .distantFuture))
        let moved = schedule.checkIn(at: noon.adding(.hours(2)))
        #expect(moved && schedule.deadline == nil)
    }

    @Test func remindersAloneKeepTheDeadline() {
        var schedule = CheckInSchedule(settings: .at(.dailyUntil10), lastCheckIn: noon)
        _ = schedule.act(at: utc("2026-03-02T08:00:00Z"))
        var settings = schedule.settings
        settings.remindThirtyMinutesBefore = false
        schedule.apply(settings, at: utc("2026-03-02T09:59:00Z"))
        #expect(schedule.deadline == utc("2026-03-02T10:00:00Z"))
        #expect(schedule.remindersSent == SentReminders(.twoHours))
    }

    // MARK: Check-ins under times

    /// A late check-in from before the opening arrives after the first reminder.
    @Test func checkInOutsideAllWindowsChangesNothingElse() {
        var schedule = CheckInSchedule(settings: .at(.dailyUntil10), lastCheckIn: noon)
        let deadline = utc("2026-03-02T10:00:00Z")
        _ = schedule.act(at: utc("2026-03-02T08:00:00Z"))
        let before = schedule
        let isNewest = schedule.checkIn(at: utc("2026-03-02T03:59:59Z"))
        #expect(isNewest)
        #expect(schedule.deadline == deadline)
        #expect(schedule.remindersSent == SentReminders(.twoHours))
        #expect(
            schedule.opening(afterCheckInAt: utc("2026-03-02T03:59:59Z"), before: before)
                == utc("2026-03-02T04:00:00Z"))
    }

    @Test func openingIsToldOnlyAfterACheckInOutsideAllWindows() {
        let monday = utc("2026-03-02T04:00:00Z")
        func opening(_ checkIn: Date, last: Date? = noon) -> Date? {
            let old = CheckInSchedule(settings: .at(.dailyUntil10), lastCheckIn: last)
            var schedule = old
            _ = schedule.checkIn(at: checkIn)
            return schedule.opening(afterCheckInAt: checkIn, before: old)
        }
        #expect(opening(monday.aMillisecondBefore) == monday)
        #expect(opening(monday) == nil)
        #expect(opening(monday.adding(.hours(6)).aMillisecondBefore) == nil)
        // Too late for Monday, and too early for Tuesday.
        #expect(opening(monday.adding(.hours(6))) == monday.adding(.hours(24)))
        #expect(opening(monday, last: nil) == nil)
        #expect(opening(monday.aMillisecondBefore, last: nil) == monday)
    }

    @Test func checkInBeforeACappedDeadlineCounts() {
        var schedule = CheckInSchedule.daily
        schedule.apply(
            .at(CheckInTimes(.until("10:00", on: [.sunday]))), at: noon.adding(.hours(1)))
        let old = schedule
        let now = noon.adding(.hours(2))
        _ = schedule.checkIn(at: now)
        #expect(schedule.opening(afterCheckInAt: now, before: old) == nil)
    }

    @Test func intervalHasNoOpening() {
        var schedule = CheckInSchedule.daily
        let now = noon.adding(.hours(2))
        _ = schedule.checkIn(at: now)
        #expect(schedule.opening(afterCheckInAt: now, before: .daily) == nil)
    }

    // MARK: Reminders

    @Test(arguments: [
        ("04:00", "08:00", "09:30"), ("08:30", "08:30", "09:30"), ("09:00", "09:00", "09:30"),
    ])
    func remindersNeverComeBeforeTheOpening(opens: String, first: String, second: String) {
        let times = CheckInTimes(.until("10:00", from: opens))
        var schedule = CheckInSchedule(settings: .at(times), lastCheckIn: noon)
        let (due, next) = (utc("2026-03-02T\(first):00Z"), utc("2026-03-02T\(second):00Z"))
        #expect(schedule.nextDue(at: noon) == due)
        #expect(schedule.act(at: due.aMillisecondBefore) == nil)
        let deadline = utc("2026-03-02T10:00:00Z")
        #expect(
            schedule.act(at: due)
                == .remind(.twoHours, deadline: deadline, covers: SentReminders(.twoHours)))
        #expect(schedule.nextDue(at: due) == next)
    }

    @Test func shortestWindowHasOneReminder() {
        let times = CheckInTimes(.until("10:00", from: "09:30"))
        var schedule = CheckInSchedule(settings: .at(times), lastCheckIn: noon)
        let due = utc("2026-03-02T09:30:00Z")
        #expect(
            schedule.act(at: due)
                == .remind(
                    .thirtyMinutes, deadline: due.adding(.minutes(30)),
                    covers: [SentReminders(.twoHours), SentReminders(.thirtyMinutes)]))
        #expect(schedule.nextDue(at: due) == due.adding(.minutes(30)))
    }

    @Test func repeatedChangesDoNotPostponeTheDeadline() throws {
        var schedule = CheckInSchedule(
            settings: .at(CheckInTimes(.until("10:00"))), lastCheckIn: noon)
        let deadline = try #require(schedule.deadline)
        var now = deadline.adding(.minutes(-50))
        schedule.apply(.at(CheckInTimes(.until("10:01"))), at: now)
        let changed = try #require(schedule.deadline)
        for minute in 2...20 {
            now = now.adding(.minutes(2))
            schedule.apply(.at(CheckInTimes(.until("10:0\(minute % 10)"))), at: now)
            #expect(schedule.deadline == changed)
        }
    }

    @Test func intervalAfterUnusedTimesIsNotOverdue() {
        var schedule = CheckInSchedule(settings: .planned(.none), lastCheckIn: noon)
        let now = noon.adding(.days(300))
        schedule.apply(.at(.dailyUntil10), at: now)
        schedule.apply(.every(.hours(24)), at: now.adding(.minutes(1)))
        #expect(!schedule.isMissed(at: now.adding(.minutes(1))))
        #expect(schedule.deadline.map { $0 <= now.adding(.hours(25)) } == true)
    }

    // MARK: What forms show

    @Test func nextDeadlinesOfAnInterval() {
        #expect(
            CheckInSchedule.daily.nextDeadlines(3)
                == [1, 2, 3].map { noon.adding(.hours(24 * $0)) })
    }

    @Test func nextDeadlinesBeginWithTheFirstAfterAChange() {
        var schedule = CheckInSchedule.daily
        schedule.apply(
            .at(CheckInTimes(.until("10:00", on: [.sunday]))), at: noon.adding(.hours(1)))
        #expect(
            schedule.nextDeadlines(2)
                == [noon.adding(.hours(48)), utc("2026-03-08T10:00:00Z")])
        schedule.apply(.planned(.none), at: noon)
        #expect(schedule.nextDeadlines(3) == [])
    }

    static let silences: [(CheckInSettings, CheckInSettings, Bool)] = [
        (.every(.hours(24)), .every(.hours(25)), true),
        (.every(.hours(24)), .every(.hours(24)), false),
        (.every(.hours(24)), .every(.hours(23)), false),
        (.every(.hours(24)), .at(.dailyUntil10), true),
        (.every(.hours(30)), .at(.dailyUntil10), false),
        (.at(.dailyUntil10), .planned(.none), true),
        (.planned(.none), .every(.hours(168)), false),
        (.planned(.none), .planned(.none), false),
    ]

    @Test(arguments: silences)
    func longerSilence(old: CheckInSettings, new: CheckInSettings, isLonger: Bool) {
        #expect(new.allowsLongerSilence(than: old) == isLonger)
    }

    private static let weekdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]

    /// Four deadlines on each weekday, and one on Sunday.
    private static let workWeek = CheckInTimes(
        .until("06:00", on: weekdays), .until("10:00", on: weekdays),
        .until("14:00", on: weekdays), .until("18:00", on: weekdays.union([.sunday])))

    static let laterCheckIns: [(CheckInSettings, CheckInSettings, Bool)] = [
        (.every(.hours(24)), .every(.hours(24)), false),
        (.every(.hours(24)), .every(.hours(24) + .seconds(1)), true),
        (.every(.hours(24)), .every(.hours(23)), false),
        (.at(.dailyUntil10), .at(CheckInTimes(.until("11:00"))), false),
        (.at(.dailyUntil10), .at(CheckInTimes(.until("10:00", on: weekdays))), true),
        (.at(CheckInTimes(.until("10:00", on: weekdays))), .at(.dailyUntil10), false),
        (.at(.dailyUntil10), .every(.hours(24)), false),
        (.at(.dailyUntil10), .every(.hours(24) + .seconds(1)), true),
        (.at(workWeek), .every(.hours(8)), false),
        (.at(workWeek), .every(.hours(8) + .seconds(1)), true),
        (.at(workWeek), .at(CheckInTimes(.until("10:00", on: [.monday, .wednesday]))), true),
        (.every(.hours(24)), .planned(.none), false),
        (.planned(.none), .every(.hours(168)), false),
    ]

    @Test(arguments: laterCheckIns)
    func laterCheckIn(old: CheckInSettings, new: CheckInSettings, isLater: Bool) {
        #expect(new.allowsLaterCheckIns(than: old) == isLater)
    }

    @Test func longerSilenceIsNamedFirst() {
        let (old, new) = (CheckInSettings.every(.hours(24)), CheckInSettings.every(.hours(25)))
        #expect(
            ScheduleChange(from: old, to: new) == .longerSilence(.hours(25), before: .hours(24)))
        #expect(ScheduleChange(from: new, to: old) == nil)
        let times = CheckInSettings.at(.dailyUntil10)
        #expect(
            ScheduleChange(from: times, to: new, pausedUntil: noon)
                == .laterCheckIns(new, silence: .hours(25), pausedUntil: noon))
    }
}

@Suite struct CheckInPlanJSONTests {
    private func json<Value: Encodable>(_ value: Value) throws -> String {
        String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
    }

    private static let night = SleepHours(
        from: clock("22:00"), until: clock("07:00"), timeZone: "Europe/Berlin")

    static let plans: [CheckInPlan] = [
        .interval, .none, .times(.dailyUntil10), .intervalWithSleep(night),
        .times(
            CheckInTimes(
                .until("10:00", from: "09:00", on: [.sunday, .monday]), .until("02:00"),
                in: "America/Argentina/Buenos_Aires")),
    ]

    @Test(arguments: plans)
    func planRoundTrips(plan: CheckInPlan) throws {
        let settings = CheckInSettings.planned(plan)
        let text = try json(settings)
        #expect(
            try WireJSON.decoder().decode(CheckInSettings.self, from: Data(text.utf8)) == settings)
        #expect(text.contains("plan") == (plan != .interval))
    }

    @Test func jsonOfTimesIsExact() throws {
        let plan = CheckInPlan.times(
            CheckInTimes(
                .until("10:00", from: "09:00", on: [.sunday, .monday]),
                .until("18:30", on: [.friday]), in: "Europe/Berlin"))
        #expect(
            try json(plan)
                == #"{"kind":"times","timeZone":"Europe/Berlin","windows":["#
                + #"{"days":["monday","sunday"],"deadline":"10:00","opens":"09:00"},"#
                + #"{"days":["friday"],"deadline":"18:30"}]}"#)
        #expect(try json(CheckInPlan.none) == #"{"kind":"none"}"#)
    }

    @Test func jsonOfSleepHoursIsExact() throws {
        #expect(
            try json(CheckInPlan.intervalWithSleep(Self.night))
                == #"{"kind":"interval","sleep":{"from":"22:00","timeZone":"Europe/Berlin","#
                + #""until":"07:00"}}"#)
    }

    /// Clients from before schedules know only the interval.
    @Test func settingsWithoutAPlanAreAnInterval() throws {
        let text =
            #"{"intervalSeconds":3600,"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":false}"#
        let settings = try WireJSON.decoder().decode(CheckInSettings.self, from: Data(text.utf8))
        var expected = CheckInSettings.every(.hours(1), thirtyMinutes: false)
        expected.lastCall = .standard
        #expect(settings == expected)
        #expect(settings.plan == .interval)
    }

    @Test(arguments: [
        #"{"kind":"moon"}"#, "{}", #"{"kind":"times"}"#,
        #"{"kind":"times","timeZone":"Europe/Berlin"}"#,
        #"{"kind":"times","windows":[]}"#,
        #"{"kind":"times","timeZone":"Europe/Berlin","windows":[{"days":["monday"]}]}"#,
        #"{"kind":"times","timeZone":"Europe/Berlin","windows":[{"deadline":"10:00"}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":["moonday"],"deadline":"10:00"}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":["monday"],"deadline":"25:00"}]}"#,
        #"{"kind":"interval","sleep":null}"#, #"{"kind":"interval","sleep":{}}"#,
        #"{"kind":"interval","sleep":{"from":"22:00","until":"07:00"}}"#,
        #"{"kind":"interval","sleep":{"from":"22:00","until":"7:00","timeZone":"a/b"}}"#,
        #"{"kind":"none","sleep":{"from":"22:00","until":"24:00","timeZone":"a/b"}}"#,
    ])
    func otherPlansAreRejected(text: String) {
        #expect(throws: DecodingError.self) {
            try WireJSON.decoder().decode(CheckInPlan.self, from: Data(text.utf8))
        }
    }

    @Test func recordWithoutADeadlineRoundTrips() throws {
        let record = CheckInRecord(
            id: id(1), occurredAt: noon, receivedAt: noon, nextCheckInTime: nil)
        let text = try json(record)
        #expect(!text.contains("nextCheckInTime") && !text.contains("opensAt"))
        #expect(
            try WireJSON.decoder().decode(CheckInRecord.self, from: Data(text.utf8)) == record)
    }
}
