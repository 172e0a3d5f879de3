import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada pauses at 13:00, an hour after her check-in (product.md, "Pause").
@Suite struct PauseTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let begin = noon.adding(.hours(1))
    private let end = noon.adding(.days(5))

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        server.clock.set(begin)
    }

    @discardableResult
    private func pause(until end: Date? = nil, key: UUID? = nil) async throws -> UserProfile {
        try await server.network.pauses.pause(until: end ?? self.end, of: ada.caller, key: key)
    }

    @discardableResult
    private func endPause() async throws -> UserProfile {
        try await server.network.pauses.endPause(of: ada.caller)
    }

    /// Runs the monitor at this time. Returns Ada's news.
    private func news(at time: Date) async throws -> [String] {
        server.clock.set(time)
        try await server.deadlineMonitor.handleDueDeadlines()
        return try await server.news(of: ada)
    }

    // MARK: The beginning

    @Test func beginningIsACheckIn() async throws {
        let ping = try await server.ping(ada, by: ben)
        let profile = try await pause()
        #expect(profile.pause == CheckInPause(began: begin, until: end))
        #expect(profile.lastCheckInTime == begin)
        #expect(profile.nextCheckInTime == end.adding(.hours(24)))
        let history = try await server.history(of: ada)
        #expect(history.map(\.occurredAt) == [begin, noon])
        #expect(history.first?.nextCheckInTime == end.adding(.hours(24)))
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.first { $0.id == ping.id }?.state == .answered)
        #expect(
            try await server.news(of: ben).sorted() == [
                "Ada has paused check-ins", "Ada is fine",
            ])
    }

    /// The pause waited on the device. Clocks may differ by `CheckInRules.clockSkew`.
    @Test(arguments: [(Duration.zero, true), (.milliseconds(1), false)])
    func waitingPauseAnswersNoNewerPing(earlier: Duration, isAnswered: Bool) async throws {
        let ping = try await server.ping(ada, by: ben)
        let pressed = ping.createdAt.adding(.zero - CheckInRules.clockSkew - earlier)
        server.clock.pass(.minutes(10))
        let profile = try await server.network.pauses.pause(
            until: end, pressedAt: pressed, sentAt: server.clock.now, of: ada.caller)
        #expect(profile.pause?.began == server.clock.now)
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.map(\.state) == [isAnswered ? .answered : .pending])
    }

    @Test func newEndIsNoCheckIn() async throws {
        try await pause()
        server.clock.pass(.hours(1))
        _ = try await server.ping(ada, by: ben)
        #expect(try await pause(until: end.adding(.hours(1))).lastCheckInTime == begin)
        #expect(try await endPause().lastCheckInTime == begin)
        #expect(try await server.history(of: ada).count == 2)
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.map(\.state) == [.pending])
    }

    @Test func openAlertRefusesAPause() async throws {
        let alert = try await server.raiseAlert(ada)
        let error = await refusal { try await pause() }
        #expect(error?.field == "until" && error?.reason == .alertOpen)
        #expect(try await server.profile(ada).pause == nil)
        #expect(try await server.history(of: ada).count == 1)
        _ = try await server.endAlert(alert, ada)
        #expect(try await pause().pause != nil)
    }

    @Test func nextPauseWaitsFiveMinutes() async throws {
        try await pause()
        try await endPause()
        server.clock.set(begin.adding(.minutes(5)).aMillisecondBefore)
        #expect(await refusal { try await pause() } == .rateLimited(retryAfter: .milliseconds(1)))
        server.clock.set(begin.adding(.minutes(5)))
        #expect(try await pause().pause != nil)
    }

    @Test func missedCheckInRefusesAPause() async throws {
        server.clock.set(noon.adding(.hours(24)))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(await refusal { try await pause() }?.reason == .alertOpen)
        #expect(try await server.openAlert(ada) != nil)
        try await server.checkIn(ada)
        #expect(try await pause().pause != nil)
    }

    @Test func overdueJourneyRefusesAPause() async throws {
        let draft = JourneyDraft(
            id: server.environment.id(), name: "Zugspitze", expectedReturn: begin.adding(.hours(1)),
            graceMinutes: 0)
        _ = try await server.network.journeys.start(draft, of: ada.caller)
        try await server.pass(.hours(1))
        #expect(try await server.openAlert(ada)?.kind == .journey)
        #expect(await refusal { try await pause() }?.reason == .alertOpen)
        _ = try await server.network.journeys.end(
            draft.id, pressedAt: server.clock.now, of: ada.caller)
        #expect(try await pause().pause != nil)
    }

    @Test(arguments: [
        (Duration.zero, false), (.milliseconds(1), true), (.days(30), true),
        (.days(30) + .milliseconds(1), false),
    ])
    func pauseEndsWithin30Days(length: Duration, isAccepted: Bool) async throws {
        let error = await refusal { try await pause(until: begin.adding(length)) }
        #expect(error?.field == (isAccepted ? nil : "until"))
        #expect((try await server.profile(ada).pause != nil) == isAccepted)
    }

    @Test func firstPauseSetsADeadline() async throws {
        let cleo = try await server.person("Cleo")
        let profile = try await server.network.pauses.pause(until: end, of: cleo.caller)
        #expect(profile.lastCheckInTime == begin)
        #expect(profile.nextCheckInTime == end.adding(.hours(24)))
    }

    // MARK: Presses that waited on a device

    /// - Parameter age: in milliseconds.
    private func send(pausePressed age: Int, until end: Date) async throws -> UserProfile {
        let now = server.clock.now
        return try await server.network.pauses.pause(
            until: end, pressedAt: now.adding(.milliseconds(-age)), sentAt: now, of: ada.caller)
    }

    private func send(endPressed age: Int) async throws -> UserProfile {
        let now = server.clock.now
        return try await server.network.pauses.endPause(
            pressedAt: now.adding(.milliseconds(-age)), sentAt: now, of: ada.caller)
    }

    @Test(arguments: [(1, true), (0, false)])
    func newerEndOutdatesAnOlderPause(earlier: Int, isRefused: Bool) async throws {
        try await pause()
        server.clock.pass(.hours(1))
        try await endPause()
        server.clock.pass(.hours(1))
        let error = await refusal {
            _ = try await send(
                pausePressed: 3_600_000 + earlier, until: end.adding(.days(4)))
        }
        #expect(error?.reason == (isRefused ? .pauseChanged : nil))
        #expect(error?.field == (isRefused ? "until" : nil))
        #expect((try await server.profile(ada).pause == nil) == isRefused)
    }

    @Test(arguments: [(1, true), (0, false)])
    func newerPauseOutdatesAnOlderEnd(earlier: Int, isRefused: Bool) async throws {
        try await pause()
        server.clock.pass(.hours(1))
        let error = await refusal { _ = try await send(endPressed: 3_600_000 + earlier) }
        #expect(error?.reason == (isRefused ? .pauseChanged : nil))
        #expect((try await server.profile(ada).pause != nil) == isRefused)
    }

    /// Another device chose a new end after the press.
    @Test func newerChangeOutdatesAnOlderOne() async throws {
        try await pause()
        server.clock.pass(.hours(1))
        try await pause(until: end.adding(.days(1)))
        server.clock.pass(.hours(1))
        let error = await refusal {
            _ = try await send(pausePressed: 5_400_000, until: end.adding(.days(2)))
        }
        #expect(error?.reason == .pauseChanged)
        #expect(try await server.profile(ada).pause?.until == end.adding(.days(1)))
    }

    /// Another device chose the present end again after the press.
    @Test(arguments: [(1, true), (0, false)])
    func sameEndOutdatesAnOlderChange(earlier: Int, isRefused: Bool) async throws {
        try await pause()
        server.clock.pass(.hours(1))
        _ = try await server.news(of: ben)
        #expect(try await send(pausePressed: 0, until: end).pause?.until == end)
        #expect(try await server.news(of: ben) == [])
        server.clock.pass(.hours(1))
        let later = end.adding(.days(3))
        let error = await refusal {
            _ = try await send(pausePressed: 3_600_000 + earlier, until: later)
        }
        #expect(error?.reason == (isRefused ? .pauseChanged : nil))
        #expect(try await server.profile(ada).pause?.until == (isRefused ? end : later))
    }

    /// Another device ended the pause again, after its end and after the press.
    @Test(arguments: [(1, true), (0, false)])
    func endWithoutAPauseOutdatesAnOlderPause(earlier: Int, isRefused: Bool) async throws {
        try await pause()
        server.clock.pass(.hours(1))
        try await endPause()
        server.clock.pass(.hours(1))
        _ = try await server.news(of: ben)
        #expect(try await send(endPressed: 0).pause == nil)
        #expect(try await server.news(of: ben) == [])
        server.clock.pass(.hours(1))
        let error = await refusal {
            _ = try await send(pausePressed: 3_600_000 + earlier, until: end)
        }
        #expect(error?.reason == (isRefused ? .pauseChanged : nil))
        #expect((try await server.profile(ada).pause == nil) == isRefused)
    }

    /// An older press that changes nothing counts with its own time.
    @Test func waitingPressOfTheSameEndOutdatesNoNewerChange() async throws {
        try await pause()
        server.clock.pass(.hours(2))
        #expect(try await send(pausePressed: 3_600_000, until: end).pause?.until == end)
        let later = end.adding(.days(1))
        #expect(try await send(pausePressed: 1_800_000, until: later).pause?.until == later)
    }

    @Test func pressesOfOneDeviceStayInOrder() async throws {
        server.clock.pass(.hours(2))
        #expect(try await send(pausePressed: 7_200_000, until: end).pause?.until == end)
        #expect(
            try await send(pausePressed: 7_100_000, until: end.adding(.days(1))).pause?.until
                == end.adding(.days(1)))
        #expect(try await send(endPressed: 7_000_000).pause == nil)
        server.clock.pass(.minutes(5))
        #expect(try await send(pausePressed: 7_200_000, until: end).pause?.until == end)
    }

    /// The device measures the time from press to sending.
    @Test func slowClockOfADeviceOutdatesNoPress() async throws {
        try await pause()
        let now = server.clock.now
        let slow = now.adding(.seconds(-90))
        server.clock.pass(.minutes(10))
        let ended = try await server.network.pauses.endPause(
            pressedAt: slow.adding(.minutes(1)), sentAt: slow.adding(.minutes(10)),
            of: ada.caller)
        #expect(ended.pause == nil)
    }

    /// The request of the pause takes eight seconds, and Ada ends it after five.
    @Test func slowRequestOutdatesNoPress() async throws {
        server.clock.pass(.seconds(8))
        _ = try await server.network.pauses.pause(
            until: end, pressedAt: begin, sentAt: begin, of: ada.caller)
        server.clock.pass(.seconds(1))
        let ended = try await server.network.pauses.endPause(
            pressedAt: begin.adding(.seconds(5)), sentAt: server.clock.now, of: ada.caller)
        #expect(ended.pause == nil)
    }

    // MARK: Notices

    @Test func respondersAreToldOfBeginningChangeAndEnd() async throws {
        let cleo = try await server.person("Cleo")
        try await server.ask(cleo, toWatchOver: ada)
        try await server.muteAll(of: ben)
        try await pause()
        let began = try await server.newsItems(of: ben)
        #expect(began.map(\.title) == ["Ada has paused check-ins"])
        #expect(began.first?.body.hasSuffix("Call Ada if this surprises you.") == true)
        #expect(began.first?.aboutUserID == ada.id)
        try await pause(until: end.adding(.hours(1)))
        #expect(try await server.news(of: ben) == ["Ada has changed their pause"])
        try await pause(until: end.adding(.hours(1)))
        #expect(try await server.news(of: ben) == [])
        try await endPause()
        #expect(try await server.news(of: ben) == ["Ada's pause has ended"])
        try await endPause()
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.news(of: cleo) == [])
    }

    @Test func endByItselfIsToldToAcceptedResponders() async throws {
        let cleo = try await server.person("Cleo")
        try await server.ask(cleo, toWatchOver: ada)
        try await server.muteAll(of: ben)
        try await pause()
        _ = try await news(at: end.aMillisecondBefore)
        _ = try await server.news(of: ben)
        let adas = try await server.events(of: ada).count
        let bens = try await server.events(of: ben).count
        _ = try await news(at: end)
        #expect(try await server.news(of: ben) == ["Ada's pause has ended"])
        #expect(try await server.events(of: ada).dropFirst(adas).contains(.profileChanged))
        let changed = UserEvent.contactChanged(.init(contactID: ada.id))
        #expect(try await server.events(of: ben).dropFirst(bens).contains(changed))
        try await server.pass(.hours(1))
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.news(of: cleo) == [])
    }

    @Test func changeIsSentToOpenPages() async throws {
        try await pause()
        #expect(try await server.events(of: ada).last == .profileChanged)
        #expect(
            try await server.events(of: ben).contains(.contactChanged(.init(contactID: ada.id))))
    }

    @Test func repeatedRequestChangesNothing() async throws {
        let key = server.environment.makeID()
        try await pause(key: key)
        _ = try await server.news(of: ben)
        server.clock.pass(.minutes(1))
        let profile = try await pause(until: end.adding(.days(1)), key: key)
        #expect(profile.pause?.until == end)
        #expect(try await server.history(of: ada).count == 2)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func contactListShowsThePause() async throws {
        func watch() async throws -> ContactData.WatchedState? {
            try await server.contact(ada, seenBy: ben)?.watch
        }
        #expect(try await watch()?.pausedUntil == nil)
        try await pause()
        #expect(try await watch()?.pausedUntil == end)
        #expect(try await watch()?.nextCheckInTime == end.adding(.hours(24)))
        server.clock.set(end)
        #expect(try await watch()?.pausedUntil == nil)
        #expect(try await server.profile(ada).pause == nil)
        try await pause(until: end.adding(.days(1)))
        try await endPause()
        #expect(try await watch()?.pausedUntil == nil)
    }

    // MARK: During and after a pause

    @Test func nothingIsMissedUntilTheFirstDeadline() async throws {
        try await pause()
        let deadline = end.adding(.hours(24))
        for time in [noon.adding(.hours(24)), noon.adding(.days(3)), end] {
            _ = try await news(at: time)
            #expect(try await server.alerts(ada).isEmpty)
            #expect(try await server.profile(ada).status == .active)
        }
        _ = try await news(at: deadline.aMillisecondBefore)
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.deadline == deadline)
    }

    @Test func firstTimeIsTwoHoursAfterTheEnd() async throws {
        try await server.setPlan(.dailyUntil10, of: ada)
        // The pause ends at noon.
        let deadline = end.adding(.hours(22))
        #expect(try await pause().nextCheckInTime == deadline)
        let early = end.adding(.hours(-4))
        #expect(try await pause(until: early).nextCheckInTime == early.adding(.hours(2)))
        #expect(
            try await pause(until: early.adding(.milliseconds(1))).nextCheckInTime == deadline)
    }

    @Test func remindersComeADayAndTwoHoursBeforeTheEnd() async throws {
        try await pause()
        let (day, hours) = (end.adding(.hours(-24)), end.adding(.hours(-2)))
        #expect(try await news(at: day.aMillisecondBefore) == [])
        #expect(try await news(at: day) == ["Your pause ends soon"])
        #expect(try await news(at: hours.aMillisecondBefore) == [])
        #expect(try await news(at: hours) == ["Your pause ends soon"])
        #expect(try await news(at: end) == [])
        #expect(try await news(at: end.adding(.hours(22))) == ["Check in soon"])
    }

    @Test func noReminderAfterAnEarlyEnd() async throws {
        try await pause()
        server.clock.set(end.adding(.hours(-30)))
        #expect(try await endPause().nextCheckInTime == end.adding(.hours(-6)))
        #expect(try await news(at: end.adding(.hours(-24))) == [])
    }

    @Test func checkInDoesNotEndThePause() async throws {
        try await pause()
        server.clock.pass(.days(1))
        let ping = try await server.ping(ada, by: ben)
        let record = try await server.checkIn(ada)
        #expect(record.nextCheckInTime == end.adding(.hours(24)))
        let profile = try await server.profile(ada)
        #expect(profile.pause?.until == end && profile.lastCheckInTime == server.clock.now)
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.first { $0.id == ping.id }?.state == .answered)
    }

    @Test func alertsWorkDuringAPause() async throws {
        try await pause()
        _ = try await server.news(of: ben)
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.news(of: ben) == ["Ada needs help"])
        #expect(try await server.profile(ada).status == .alertActive)
        // A pause that runs can be changed and ended.
        #expect(try await pause(until: end.adding(.days(1))).pause?.until == end.adding(.days(1)))
        #expect(try await endPause().pause == nil)
        #expect(try await server.openAlert(ada)?.id == alert.id)
    }

    @Test func newSettingsCountFromTheEnd() async throws {
        try await pause()
        server.clock.pass(.days(1))
        let profile = try await server.setInterval(.hours(8), of: ada)
        #expect(profile.pause?.until == end)
        #expect(profile.nextCheckInTime == end.adding(.hours(8)))
    }

    /// Earlier clients take `pause` for the present one.
    @Test func endedPauseIsInTheProfileUntilANewerCheckIn() async throws {
        #expect(try await pause().endedPause == nil)
        server.clock.pass(.days(1))
        let ended = try await endPause()
        let pause = CheckInPause(began: begin, until: begin.adding(.days(1)))
        #expect(ended.pause == nil && ended.endedPause == pause)
        #expect(ended.schedule.pause == pause)
        try await server.checkIn(ada, at: pause.until.adding(.minutes(-1)))
        #expect(try await server.profile(ada).endedPause == pause)
        try await server.checkIn(ada, at: pause.until)
        #expect(try await server.profile(ada).endedPause == nil)
    }

    @Test func pauseThatEndsByItselfStaysInTheProfile() async throws {
        try await pause()
        let pause = CheckInPause(began: begin, until: end)
        server.clock.set(end.aMillisecondBefore)
        let running = try await server.profile(ada)
        #expect(running.pause == pause && running.endedPause == nil)
        server.clock.set(end)
        let ended = try await server.profile(ada)
        #expect(ended.pause == nil && ended.endedPause == pause)
    }

    @Test func outageDuringAPauseMissesNothing() async throws {
        try await pause()
        try await server.outage(.days(2))
        try await server.pass(.minutes(2))
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.profile(ada).nextCheckInTime == end.adding(.hours(24)))
    }

    /// The pause and the eight hours after it end while no server runs.
    @Test func outageOverThePauseEndAndTheDeadlineIsTold() async throws {
        try await pause()
        _ = try await server.setInterval(.hours(8), of: ada)
        server.clock.set(end.adding(.hours(-1)))
        try await server.outage(.hours(10))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.alerts(ada).isEmpty)
        // The monitor first announces the end of the pause, then opens the alert.
        for passed in [Duration.minutes(1), .zero] { try await server.pass(passed) }
        #expect(try await server.openAlert(ada)?.toldLate == true)
    }
}
