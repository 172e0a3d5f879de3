import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

extension TestServer {
    @discardableResult
    func setPlan(_ plan: CheckInPlan, of person: Person, key: UUID? = nil) async throws
        -> UserProfile
    {
        let settings = CheckInSettings(
            plan: plan, intervalSeconds: 86_400, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: true)
        return try await network.checkIns.updateSettings(settings, of: person.caller, key: key)
    }

    func muteAll(of person: Person) async throws {
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await network.notifications.setPreferences(
            try NotificationPreferences(muted: muted), of: person.caller)
    }
}

extension CheckInPlan {
    /// Every day until 10:00 UTC, from 4:00 on.
    static let dailyUntil10 = CheckInPlan.times(.daily(until: 600))
}

extension CheckInTimes {
    /// - Parameter minute: the deadline in minutes after midnight, UTC.
    static func daily(
        until minute: Int, on days: Set<Weekday> = Set(Weekday.allCases),
        in zone: String = "Atlantic/Reykjavik"
    ) -> CheckInTimes {
        let windows = TimeOfDay(minutes: minute).map { [CheckInWindow(days: days, deadline: $0)] }
        return CheckInTimes(timeZone: zone, windows: windows ?? [])
    }
}

/// Schedules by the clock (product.md, "Schedules"). Ada has checked in on Sunday at noon.
@Suite struct PlanTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    /// Monday, 10:00 UTC.
    private let deadline = noon.adding(.hours(22))

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
    }

    private func daily10() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        for person in [ada, ben] { _ = try await server.news(of: person) }
    }

    // MARK: Deadlines

    @Test func deadlineIsMissedOnTime() async throws {
        try await daily10()
        #expect(try await server.profile(ada).nextCheckInTime == deadline)
        server.clock.set(deadline.aMillisecondBefore)
        #expect(try await server.deadlineMonitor.handleDueDeadlines() == deadline)
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.profile(ada).status == .active)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        #expect(try await server.openAlert(ada)?.deadline == deadline)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        #expect(server.watched.all.missed == 1)
    }

    /// A wrong clock may have opened the alert before the window.
    @Test func checkInThatEndsAnEarlyAlertLeavesTheDeadlineArmed() async throws {
        try await daily10()
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            var schedule = try #require(try transaction.schedule(of: ada.id))
            schedule.hasOpenedAlert = true
            try transaction.save(schedule, of: ada.id)
        }
        server.clock.pass(.hours(1))
        try await server.checkIn(ada)
        #expect(try await server.profile(ada).nextCheckInTime == deadline)
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    /// The monitor hasn't handled the deadline yet, as in a grace after an outage.
    @Test(arguments: [CheckInPlan.none, .times(.daily(until: 660))])
    func changeCannotEraseAMissedDeadline(plan: CheckInPlan) async throws {
        try await daily10()
        server.clock.set(deadline)
        let error = await refusal { try await server.setPlan(plan, of: ada) }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await server.profile(ada).settings.plan == .dailyUntil10)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada) != nil)
        #expect(try await server.setPlan(plan, of: ada).settings.plan == plan)
        #expect(try await server.openAlert(ada) != nil)
    }

    /// The monitor hasn't handled the deadline yet.
    @Test func changeOfRemindersKeepsAMissedDeadline() async throws {
        try await daily10()
        server.clock.set(deadline)
        var settings = try await server.profile(ada).settings
        settings.remindTwoHoursBefore = false
        let profile = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        #expect(profile.settings == settings && profile.nextCheckInTime == deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    @Test func remindersComeBeforeTheDeadline() async throws {
        try await daily10()
        #expect(try await server.pass(.hours(20)) == deadline.adding(.minutes(-30)))
        #expect(try await server.news(of: ada) == ["Check in soon"])
        #expect(try await server.pass(.minutes(90)) == deadline.adding(.minutes(-10)))
        #expect(try await server.news(of: ada) == ["Check in soon"])
    }

    @Test func checkInInTheWindowMovesTheDeadline() async throws {
        try await daily10()
        server.clock.set(deadline.adding(.hours(-6)))
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == deadline.adding(.hours(24)))
        #expect(record.opensAt == nil)
        #expect(try await server.profile(ada).nextCheckInTime == deadline.adding(.hours(24)))
        try await server.pass(.hours(6))
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func checkInOutsideAllWindowsIsRecorded() async throws {
        try await daily10()
        let ping = try await server.ping(ada, by: ben)
        server.clock.set(deadline.adding(.hours(-6)).aMillisecondBefore)
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == deadline)
        #expect(record.opensAt == deadline.adding(.hours(-6)))
        #expect(try await server.history(of: ada).first == record)
        let profile = try await server.profile(ada)
        #expect(profile.lastCheckInTime == server.clock.now)
        #expect(profile.nextCheckInTime == deadline)
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.first { $0.id == ping.id }?.state == .answered)
        #expect(
            try await server.events(of: ben).contains(
                .checkIn(
                    .init(
                        userID: ada.id, lastCheckInTime: server.clock.now,
                        nextCheckInTime: deadline))))
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    @Test func checkInOutsideAllWindowsEndsAMissedAlert() async throws {
        try await daily10()
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        try await server.pass(.hours(1))
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == deadline.adding(.hours(24)))
        #expect(record.opensAt == deadline.adding(.hours(18)))
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.profile(ada).status == .active)
        #expect(try await server.news(of: ben).last == "Ada checked in")
    }

    @Test func repeatedIDGetsTheSameAnswer() async throws {
        try await daily10()
        try await server.pass(.hours(1))
        let id: CheckInID = server.environment.id()
        let first = try await server.checkIn(ada, id: id)
        #expect(first.opensAt != nil)
        server.clock.set(deadline.adding(.hours(-1)))
        try await server.checkIn(ada)
        try await server.setPlan(.none, of: ada)
        #expect(try await server.checkIn(ada, id: id) == first)
        #expect(try await server.history(of: ada).count == 3)
    }

    /// Only a person's answer changes the zone of a schedule.
    @Test func deviceInAnotherZoneChangesNothing() async throws {
        try await daily10()
        await server.network.timeZones.noteTimeZone("Asia/Tokyo", of: ada.caller)
        let profile = try await server.profile(ada)
        #expect(profile.timeZone == "Asia/Tokyo")
        #expect(profile.settings.plan == .dailyUntil10)
        #expect(profile.nextCheckInTime == deadline)
    }

    @Test func oldClientsSettingsAreAnInterval() async throws {
        try await daily10()
        let profile = try await server.setInterval(.hours(48), of: ada)
        #expect(profile.settings.plan == .interval)
        #expect(profile.nextCheckInTime == noon.adding(.hours(48)))
    }

    @Test func contactListShowsThePlan() async throws {
        try await daily10()
        let watch = try #require(try await server.contact(ada, seenBy: ben)?.watch)
        #expect(watch.plan == CheckInPlan.dailyUntil10)
        #expect(watch.nextCheckInTime == deadline)
        try await server.setPlan(.interval, of: ada)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.plan == nil)
    }

    // MARK: News

    @Test func longerSilenceIsToldToAcceptedResponders() async throws {
        let cleo = try await server.person("Cleo")
        try await server.ask(cleo, toWatchOver: ada)
        try await server.muteAll(of: ben)
        try await server.setPlan(.dailyUntil10, of: ada)
        let news = try await server.newsItems(of: ben)
        #expect(news.map(\.title) == ["Ada checks in less often"])
        #expect(
            news.first?.body
                == """
                LifeSignal now tells you after at most 30 hours of silence, instead of 24 hours. \
                Call Ada if this surprises you.
                """)
        #expect(news.first?.aboutUserID == ada.id)
        #expect(try await server.news(of: cleo) == [])
    }

    /// Ben knows of the longer silence of `daily10`.
    @Test func shorterSilenceIsToldOnce() async throws {
        try await daily10()
        let times = CheckInPlan.times(
            CheckInTimes(
                timeZone: "Atlantic/Reykjavik",
                windows: CheckInTimes.daily(until: 600).windows
                    + CheckInTimes.daily(until: 1200).windows))
        try await server.setPlan(times, of: ada)
        #expect(try await server.news(of: ben) == ["Ada changed their schedule again"])
        server.clock.pass(.seconds(1))
        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func longerIntervalIsTold() async throws {
        _ = try await server.setInterval(.hours(25), of: ada)
        #expect(try await server.news(of: ben) == ["Ada checks in less often"])
    }

    @Test func repeatedChangeIsToldOnce() async throws {
        let key = server.environment.makeID()
        for _ in 0..<2 { try await server.setPlan(.none, of: ada, key: key) }
        #expect(try await server.news(of: ben) == ["Ada has no deadlines any more"])
    }

    // MARK: Without deadlines

    @Test func withoutDeadlinesNothingIsMissed() async throws {
        let profile = try await server.setPlan(.none, of: ada)
        #expect(profile.nextCheckInTime == nil && profile.status == .active)
        #expect(try await server.pass(.days(60)) == nil)
        #expect(try await server.alerts(ada).isEmpty)
        let watch = try #require(try await server.contact(ada, seenBy: ben)?.watch)
        #expect(watch.plan == CheckInPlan.none)
        #expect(watch.nextCheckInTime == nil && watch.status == .active)
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == nil && record.opensAt == nil)
        #expect(try await server.history(of: ada).first == record)
    }

    @Test func outageMissesNothingWithoutDeadlines() async throws {
        try await server.setPlan(.none, of: ada)
        try await server.outage(.hours(30))
        try await server.pass(.minutes(2))
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func outageGivesAGraceToTimes() async throws {
        try await daily10()
        try await server.pass(.hours(21))
        try await server.outage(.hours(2))
        try await server.pass(.seconds(59))
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.seconds(1))
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    // MARK: Refusals

    @Test(arguments: [
        CheckInTimes.daily(until: 600, in: "Europe/Atlantis"),
        CheckInTimes.daily(until: 600, on: []),
        CheckInTimes.daily(until: -1),
    ])
    func badTimesAreRefused(times: CheckInTimes) async throws {
        let before = try await server.profile(ada)
        let events = try await server.events(of: ada).count
        let error = await refusal { try await server.setPlan(.times(times), of: ada) }
        #expect(error?.field == "plan")
        #expect(try await server.profile(ada) == before)
        #expect(try await server.events(of: ada).count == events)
        #expect(try await server.news(of: ben) == [])
    }
}
