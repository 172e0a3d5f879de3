import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Somebody who holds a person's phone can't delay alarms unnoticed.
@Suite struct LongerSilenceTests {
    /// Ada is watched by Ben, who mutes all that he can. She has also asked Cem.
    private func watched() async throws -> (TestServer, ada: Person, ben: Person, cem: Person) {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let (ben, cem) = (try await server.person("Ben"), try await server.person("Cem"))
        try await server.connect(ben, watchesOver: ada)
        try await server.ask(cem, toWatchOver: ada)
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: muted), of: ben.caller)
        return (server, ada, ben, cem)
    }

    @Test func longerSilenceIsToldDespiteMuting() async throws {
        let (server, ada, ben, cem) = try await watched()
        _ = try await server.setInterval(.hours(48), of: ada)
        let longer = try await server.newsItems(of: ben)
        #expect(longer.map(\.title) == ["Ada checks in less often"])
        #expect(longer.first?.body.hasSuffix("Call Ada if this surprises you.") == true)

        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.news(of: ben) == ["Ada changed their schedule again"])

        var settings = CheckInSettings.standard
        settings.plan = .none
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        #expect(try await server.news(of: ben) == ["Ada has no deadlines any more"])
        #expect(try await server.news(of: cem) == [])
    }

    @Test(arguments: [(Duration.zero - .milliseconds(1), true), (.zero, false)])
    func longerSilenceBeginsAfterAPause(time: Duration, isPaused: Bool) async throws {
        let (server, ada, ben, _) = try await watched()
        let end = noon.adding(.hours(6))
        _ = try await server.network.pauses.pause(until: end, of: ada.caller)
        _ = try await server.news(of: ben)
        server.clock.set(end.adding(time))
        _ = try await server.setInterval(.hours(48), of: ada)
        let news = try await server.newsItems(of: ben)
        let teller =
            isPaused
            ? "After the pause, which ends at 18:00 UTC, LifeSignal tells you"
            : "LifeSignal now tells you"
        // The pause began with a check-in, and the interval counts from the end of the pause.
        let first = isPaused ? "" : "Only the first deadline is later: 18:00 UTC on Tuesday. "
        #expect(
            news.map(\.body) == [
                "\(teller) after at most 48 hours of silence, instead of 24 hours. "
                    + "\(first)Call Ada if this surprises you."
            ])
    }

    /// Ada has 24 hours from Sunday at noon. A change less than an hour before the new time skips
    /// it once.
    @Test(arguments: [(Duration.hours(22), false), (.hours(23) + .minutes(30), true)])
    func laterFirstDeadlineIsTold(time: Duration, isLater: Bool) async throws {
        let (server, ada, ben, _) = try await watched()
        server.clock.set(noon.adding(time))
        let profile = try await server.setPlan(.times(.daily(until: 720)), of: ada)
        #expect(profile.nextCheckInTime == noon.adding(.hours(isLater ? 48 : 24)))
        let first = isLater ? "Only the first deadline is later: 12:00 UTC on Tuesday. " : ""
        #expect(
            try await server.newsItems(of: ben).map(\.body) == [
                "LifeSignal now tells you after at most 30 hours of silence, instead of 24 hours. "
                    + "\(first)Call Ada if this surprises you."
            ])
    }

    @Test(arguments: [("Europe/Berlin", " (31 hours when the clocks change)"), ("Asia/Tokyo", "")])
    func longestSilenceNamesTheChangeOfClocks(zone: String, words: String) async throws {
        let (server, ada, ben, _) = try await watched()
        try await server.setPlan(.times(.daily(until: 600, in: zone)), of: ada)
        #expect(
            try await server.newsItems(of: ben).map(\.body) == [
                "LifeSignal now tells you after at most 30 hours\(words) of silence, instead of "
                    + "24 hours. Call Ada if this surprises you."
            ])
        try await server.setPlan(.none, of: ada)
        _ = try await server.news(of: ben)
        server.clock.pass(.seconds(1))
        try await server.setPlan(.times(.daily(until: 600, in: zone)), of: ada)
        #expect(
            try await server.newsItems(of: ben).map(\.body) == [
                "LifeSignal now tells you after at most 30 hours\(words) of silence. "
                    + "Call Ada if this surprises you."
            ])
    }

    /// The times are as frequent as before. A time less than an hour ahead is skipped once.
    /// Responders aren't told of a first deadline within the longest silence.
    @Test(arguments: [(Duration.hours(45), false), (.hours(45) + .minutes(59), true)])
    func laterFirstDeadlineIsToldOfEarlierTimes(time: Duration, isLater: Bool) async throws {
        let (server, ada, ben, _) = try await watched()
        try await server.setPlan(.dailyUntil10, of: ada)
        server.clock.set(noon.adding(.hours(17)))
        #expect(try await server.checkIn(ada).nextCheckInTime == noon.adding(.hours(46)))
        _ = try await server.news(of: ben)
        server.clock.set(noon.adding(time))
        let minute = isLater ? 540 : 605
        let profile = try await server.setPlan(.times(.daily(until: minute)), of: ada)
        let wait: Duration = isLater ? .hours(69) : .hours(46) + .minutes(5)
        #expect(profile.nextCheckInTime == noon.adding(wait))
        let told = try await server.newsItems(of: ben)
        #expect(told.map(\.title) == (isLater ? ["Ada may check in later"] : []))
        let body = """
            New schedule: 7 deadlines a week. LifeSignal now tells you after at most 30 hours of \
            silence. Only the first deadline is later: 09:00 UTC on Wednesday. Call Ada if this \
            surprises you.
            """
        #expect(told.map(\.body) == (isLater ? [body] : []))
    }

    /// With sleep hours, Ada can be silent for 19 hours at night, and for 8 hours by day.
    @Test func laterCheckInsAreToldDespiteMuting() async throws {
        let (server, ada, ben, cem) = try await watched()
        var settings = CheckInSettings.standard
        settings.intervalSeconds = 8 * 3600
        settings.plan = .intervalWithSleep(
            SleepHours(
                from: try #require(TimeOfDay(minutes: 22 * 60)),
                until: try #require(TimeOfDay(minutes: 8 * 60)), timeZone: "Atlantic/Reykjavik"))
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        #expect(try await server.news(of: ben) == [])

        _ = try await server.setInterval(.hours(19), of: ada)
        let later = try await server.newsItems(of: ben)
        #expect(later.map(\.title) == ["Ada may check in later"])
        #expect(
            later.map(\.body) == [
                "New schedule: a check-in every 19 hours. LifeSignal now tells you after at most "
                    + "19 hours of silence. Call Ada if this surprises you."
            ])
        #expect(try await server.news(of: cem) == [])

        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.news(of: ben) == ["Ada changed their schedule again"])
        #expect(try await server.news(of: cem) == [])
    }

    /// Dan accepts after the first news, which he hasn't got.
    @Test func undoneDelayIsToldOnceToThoseWhoKnowOfIt() async throws {
        let (server, ada, ben, _) = try await watched()
        try await server.setPlan(.none, of: ada)
        #expect(try await server.news(of: ben) == ["Ada has no deadlines any more"])
        let dan = try await server.person("Dan")
        try await server.connect(dan, watchesOver: ada)
        _ = try await server.news(of: dan)

        var settings = try await server.profile(ada).settings
        settings.remindTwoHoursBefore.toggle()
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        #expect(try await server.news(of: ben) == [])

        try await server.setPlan(.dailyUntil10, of: ada)
        let undone = try await server.newsItems(of: ben)
        #expect(undone.map(\.title) == ["Ada changed their schedule again"])
        #expect(
            undone.map(\.body) == [
                "LifeSignal now tells you after at most 30 hours of silence. "
                    + "Call Ada if this surprises you."
            ])
        #expect(try await server.news(of: dan) == [])

        server.clock.pass(.seconds(1))
        _ = try await server.setInterval(.hours(8), of: ada)
        #expect(try await server.news(of: ben) == [])
    }

    /// Without Tuesdays, the longest silence is still from Thursday to Saturday.
    @Test func fewerDeadlinesAreToldAndMovedOnesAreNot() async throws {
        let (server, ada, ben, _) = try await watched()
        let days: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .saturday]
        try await server.setPlan(.times(.daily(until: 600, on: days)), of: ada)
        _ = try await server.news(of: ben)
        try await server.setPlan(.times(.daily(until: 660, on: days)), of: ada)
        #expect(try await server.news(of: ben) == [])
        try await server.setPlan(
            .times(.daily(until: 660, on: days.subtracting([.tuesday]))), of: ada)
        let fewer = try await server.newsItems(of: ben)
        #expect(fewer.map(\.title) == ["Ada may check in later"])
        #expect(
            fewer.map(\.body) == [
                "New schedule: 4 deadlines a week. LifeSignal now tells you after at most 54 hours "
                    + "of silence. Call Ada if this surprises you."
            ])
    }

    @Test func pauseIsToldDespiteMuting() async throws {
        let (server, ada, ben, cem) = try await watched()
        let pauses = server.network.pauses
        let end = server.clock.now.adding(.days(2))
        _ = try await pauses.pause(until: end, of: ada.caller)
        let began = try await server.newsItems(of: ben)
        #expect(began.map(\.title) == ["Ada has paused check-ins"])
        #expect(began.first?.body.hasSuffix("Call Ada if this surprises you.") == true)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.pausedUntil == end)

        _ = try await pauses.pause(until: end.adding(.days(1)), of: ada.caller)
        #expect(try await server.news(of: ben) == ["Ada has changed their pause"])
        _ = try await pauses.endPause(of: ada.caller)
        #expect(try await server.news(of: ben) == ["Ada's pause has ended"])
        #expect(try await server.news(of: cem) == [])
    }
}
