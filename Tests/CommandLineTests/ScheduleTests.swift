import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct ScheduleTests {
    /// Ben, who last checked in at 09:59 in Berlin, on a Sunday. By times, he has until 10:00.
    private func ben(_ plan: CheckInPlan) throws -> UserProfile {
        var profile = try Examples.profile()
        profile.settings.plan = plan
        switch plan {
        case .interval, .intervalWithSleep: break
        case .times: profile.nextCheckInTime = Examples.now.addingTimeInterval(86_280)
        case .none: profile.nextCheckInTime = nil
        }
        return profile
    }

    private func byTen() throws -> CheckInPlan {
        let ten = try #require(TimeOfDay("10:00"))
        let window = CheckInWindow(days: .everyDay, deadline: ten)
        return .times(CheckInTimes(timeZone: "Europe/Berlin", windows: [window]))
    }

    private func lines(_ profile: UserProfile) -> [String] {
        ScheduleText(schedule: profile.schedule, words: Examples.words).lines
    }

    // MARK: The schedule in words

    @Test func timesAreShownOnBothClocks() throws {
        #expect(
            lines(try ben(byTen())) == [
                "By 10:00 every day, Berlin time",
                "Next deadlines:",
                "  tomorrow 10:00 (tomorrow 09:00 here)",
                "  Tuesday 10:00 (Tuesday 09:00 here)",
                "  Wednesday 10:00 (Wednesday 09:00 here)",
                """
                Longest time until we tell someone: 30 hours (31 hours when the clocks change)
                """,
                "Reminders: 2 hours, 30 minutes before",
            ])
    }

    @Test func waitingChangeIsShown() {
        func lines(_ kind: WaitingAction.Kind) -> [String] {
            let action = WaitingAction(id: UUID(), kind: kind, createdAt: Examples.now)
            return ScheduleText.waiting([action], Examples.words)
        }
        let change = lines(.updateSettings)
        #expect(change.count == 2 && change[1] == "Until then your deadline stays.")
        #expect(change[0].hasPrefix("Waiting to be sent: the change of your check-in settings"))
        #expect(lines(.checkIn) == [])
    }

    @Test func intervalIsShown() throws {
        var profile = try ben(.interval)
        #expect(
            lines(profile) == [
                "Every 24 hours", "Next deadlines:", "  tomorrow 08:59", "  Tuesday 08:59",
                "  Wednesday 08:59", "Longest time until we tell someone: 24 hours",
                "Reminders: 2 hours, 30 minutes before",
            ])
        profile.settings.remindTwoHoursBefore = false
        profile.settings.remindThirtyMinutesBefore = false
        #expect(lines(profile).last == "Reminders: none")
    }

    /// From 9:59 in Berlin, 12 hours end at 21:59 and then at 8:00, which is kept.
    @Test func sleepHoursAreShownOnBothClocks() throws {
        var profile = try ben(.intervalWithSleep(night()))
        profile.settings.intervalSeconds = 12 * 3600
        #expect(
            lines(profile) == [
                "Every 12 hours, not from 21:30 to 07:00, Berlin time", "Next deadlines:",
                "  tomorrow 08:00 (tomorrow 07:00 here)",
                "  tomorrow 20:00 (tomorrow 19:00 here)", "  Tuesday 08:00 (Tuesday 07:00 here)",
                """
                Longest time until we tell someone: 22 hours 30 minutes (23 hours 30 minutes when \
                the clocks change)
                """,
                "Reminders: 2 hours, 30 minutes before",
            ])
        let json = Output.json(ScheduleView(profile, at: Examples.now))
        #expect(json.contains("\"sleep\":{") && json.contains("\"longestSilenceSeconds\":81000"))
    }

    private func night() throws -> SleepHours {
        let times = try #require(SleepText.times("21:30-07:00"))
        return SleepHours(from: times.from, until: times.until, timeZone: "Europe/Berlin")
    }

    @Test func scheduleWithoutDeadlinesIsShown() throws {
        #expect(
            lines(try ben(.none)) == [
                "No deadlines", "Nobody is told if you are silent. Alerts still work.",
            ])
    }

    @Test func newUserSeesDeadlinesAfterACheckInNow() throws {
        var profile = try ben(.interval)
        (profile.lastCheckInTime, profile.nextCheckInTime) = (nil, nil)
        #expect(
            lines(profile)[1...2] == ["Next deadlines, if you check in now:", "  tomorrow 09:02"])
    }

    @Test func passedDeadlineIsMarked() throws {
        var profile = try ben(.interval)
        profile.settings.intervalSeconds = 60
        profile.nextCheckInTime = Examples.now.addingTimeInterval(-120)
        #expect(lines(profile)[2] == "  today 09:00, which has passed")
    }

    @Test func deadlineAfterAPauseIsTheFirst() throws {
        var profile = try ben(.interval)
        let end = Examples.now.addingTimeInterval(3 * 86_400)
        profile.pause = CheckInPause(began: Examples.now, until: end)
        profile.nextCheckInTime = end.adding(.hours(24))
        profile.start = FirstDeadline(from: end, deadline: end.adding(.hours(24)))
        #expect(profile.schedule.deadline == profile.nextCheckInTime)
        #expect(profile.schedule.start?.from == end)
        profile.settings.plan = try byTen()
        #expect(profile.schedule.deadline == profile.nextCheckInTime)
    }

    @Test func scheduleIsEncoded() throws {
        let json = Output.json(ScheduleView(try ben(byTen()), at: Examples.now))
        #expect(json.contains("\"timeZone\":\"Europe/Berlin\""))
        #expect(json.contains("\"longestSilenceSeconds\":108000"))
        #expect(json.contains("\"2026-11-23T09:00:00.000Z\""))
        let none = Output.json(ScheduleView(try ben(.none), at: Examples.now))
        #expect(none.contains("\"nextDeadlines\":[]") && !none.contains("longestSilence"))
    }

    // MARK: Typed times

    @Test(arguments: [
        ("10:00", Weekday.allCases), ("7:30@sat,Sunday", [Weekday.saturday, .sunday]),
        ("07:00@mon-fri", [Weekday.monday, .tuesday, .wednesday, .thursday, .friday]),
        ("21:00@sat-mon,wed", [Weekday.monday, .wednesday, .saturday, .sunday]),
        ("21:00@tue-tue", [Weekday.tuesday]),
    ]) func windowIsParsed(text: String, days: [Weekday]) throws {
        let window = try #require(WindowText.window(text))
        #expect(window.days == Set(days))
        #expect(window.deadline == TimeOfDay(String(text.split(separator: "@")[0])))
        #expect(window.opens == nil)
    }

    @Test(arguments: [
        "", "25:00", "10:60", "10", "10:00@", "10:00@mo", "10:00@mon-", "10:00@mon-tue-wed",
        "10:00@mon,", "10:00@mon@tue", "10:00@someday",
    ]) func invalidWindowIsNil(text: String) { #expect(WindowText.window(text) == nil) }

    @Test func sleepHoursAreParsed() throws {
        let times = try #require(SleepText.times("22:00-7:30"))
        #expect(times.from == TimeOfDay("22:00") && times.until == TimeOfDay("07:30"))
        for text in ["", "off", "22:00", "22:00-", "-07:00", "22-7", "22:00-24:00", "1:00-2:00-"] {
            #expect(SleepText.times(text) == nil, "\(text)")
        }
    }

    private func plan(_ sleep: String?, replacing present: CheckInPlan) throws -> CheckInPlan {
        try Schedule.Every.plan(replacing: present, sleep: sleep) { "Europe/Berlin" }
    }

    @Test func sleepHoursStayUnlessGiven() throws {
        let sleeping = CheckInPlan.intervalWithSleep(try night())
        #expect(try plan(nil, replacing: sleeping) == sleeping)
        #expect(try plan(SleepText.off, replacing: sleeping) == .interval)
        for present in [CheckInPlan.interval, .none, try byTen()] {
            #expect(try plan(nil, replacing: present) == .interval)
            #expect(try plan("21:30-7:00", replacing: present) == sleeping)
        }
    }

    @Test func zoneIsNeededOnlyForSleepHours() throws {
        func plan(_ sleep: String?) throws -> CheckInPlan {
            try Schedule.Every.plan(replacing: .interval, sleep: sleep) {
                throw CommandFailure.noTimeZone
            }
        }
        for text in [nil, SleepText.off] { #expect(try plan(text) == .interval) }
        #expect(throws: CommandFailure.self) { try plan("22:00-07:00") }
    }

    @Test(arguments: ["22:00-08:01", "22:00-22:29"])
    func sleepHoursThatBreakARuleAreRefused(text: String) {
        #expect(throws: CommandError.self) { try plan(text, replacing: .interval) }
    }

    @Test func openingIsBeforeTheDeadline() {
        #expect(WindowText.window("01:00", lead: 120)?.opens == TimeOfDay("23:00"))
        #expect(WindowText.window("01:00", lead: 1_440)?.opens == TimeOfDay("01:00"))
    }

    @Test func localTimeIsParsed() {
        #expect(LocalTimeText.normalized("2026-11-28 08:00") == "2026-11-28T08:00")
        #expect(LocalTimeText.normalized("2026-11-28T08:00") == "2026-11-28T08:00")
        for text in ["", "tomorrow", "2026-11-28", "2026-11-31 08:00", "2026-11-28 8:00"] {
            #expect(LocalTimeText.normalized(text) == nil, "\(text)")
        }
    }

    // MARK: The status

    private func status(_ profile: UserProfile) -> String {
        StatusText.checkIns(profile, Examples.words).joined(separator: "\n")
    }

    @Test func statusShowsNoDeadlines() throws {
        var profile = try ben(.none)
        #expect(status(profile) == "Checked in 08:59, 3 minutes ago. No deadlines.")
        profile.lastCheckInTime = nil
        #expect(status(profile) == "No deadlines.")
        profile.settings.plan = .interval
        #expect(status(profile) == "You have not checked in yet: lifesignal check-in")
    }

    @Test func statusShowsAPauseUntilItsEnd() throws {
        var profile = try ben(.interval)
        profile.pause = CheckInPause(
            began: Examples.now, until: Examples.now.addingTimeInterval(2 * 86_400))
        #expect(status(profile).hasSuffix("\nPaused until Tuesday 09:02."))
        let json = Output.json(ProfileView(profile, at: Examples.now))
        #expect(json.contains("\"pausedUntil\":\"2026-11-24T09:02:00.000Z\""))
        profile.pause?.until = Examples.now
        #expect(!status(profile).contains("Paused"))
        #expect(!Output.json(ProfileView(profile, at: Examples.now)).contains("pausedUntil"))
    }

    @Test func profileShowsThePlan() throws {
        let lines = Profile.lines(try ben(byTen()), Examples.words)
        #expect(
            lines.contains(
                """
                Check-ins: By 10:00 every day, Berlin time; reminders: 2 hours, 30 minutes before
                """))
    }

    @Test func contactShowsPauseAndNoDeadlines() throws {
        var ana = try Examples.contact("Ana")
        #expect(ContactText.plan(ana) == "Every 24 hours")
        ana.watch?.pausedUntil = Examples.now.addingTimeInterval(2 * 86_400)
        #expect(ContactText.state(ana, Examples.words) == "paused until Tuesday 09:02")
        #expect(Output.json(ContactView(ana, at: Examples.now)).contains("\"pausedUntil\""))
        ana.watch?.pausedUntil = Examples.now
        #expect(ContactText.state(ana, Examples.words) == "10:02, 1 hour left")

        ana = try Examples.contact("Ana", left: nil)
        #expect(ContactText.state(ana, Examples.words) == "no deadlines")
        ana.watch?.lastCheckInTime = nil
        #expect(ContactText.state(ana, Examples.words) == "has not checked in yet")
        ana.watch?.plan = CheckInPlan.none
        #expect(ContactText.state(ana, Examples.words) == "no deadlines")
        #expect(Output.json(ContactView(ana, at: Examples.now)).contains("\"kind\":\"none\""))
    }

    @Test func answerSaysWhenTheNextWindowOpens() {
        func answer(next: TimeInterval?, opens: TimeInterval? = nil) -> String {
            StatusText.answer(
                CheckInRecord(
                    id: CheckInID(UUID()), occurredAt: Examples.now, receivedAt: Examples.now,
                    nextCheckInTime: next.map { Examples.now.addingTimeInterval($0 * 3600) },
                    opensAt: opens.map { Examples.now.addingTimeInterval($0 * 3600) }),
                Examples.words)
        }
        #expect(
            answer(next: 48, opens: 42)
                == "Recorded. Your check-in for Tuesday 09:02 opens at 03:02.")
        #expect(
            answer(next: 72, opens: 48)
                == "Recorded. Your check-in for Wednesday 09:02 opens Tuesday 09:02.")
        #expect(answer(next: 1) == "Checked in at 09:02. Next by 10:02, 1 hour left.")
        #expect(answer(next: nil) == "Checked in at 09:02. No deadlines.")
    }
}
