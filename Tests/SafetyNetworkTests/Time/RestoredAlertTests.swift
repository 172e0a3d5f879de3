import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// What responders did about an alert of a restored backup may have been taken back since, and a
/// person on a journey may have arrived.
@Suite struct RestoredAlertTests: ServesAgain {
    let environment = TestEnvironment()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private struct Story {
        let ada, ben, cleo: Person
        let alert: AlertRecord
    }

    /// Ada raises an alert, and `act` follows. A backup from a minute later is restored.
    private func restored(
        after pause: Duration = .minutes(10), _ act: (TestServer, Story) async throws -> Void
    ) async throws -> Story {
        let story = try await serve { server in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            let cleo = try await server.person("Cleo")
            for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
            let alert = try await server.raiseAlert(ada)
            let story = Story(ada: ada, ben: ben, cleo: cleo, alert: alert)
            try await act(server, story)
            try await server.pass(.minutes(1))
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
            return story
        }
        environment.clock.set(noon.adding(pause))
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        return story
    }

    /// Deletes the news from before the backup, which the backup has again.
    private func forgetNews(of story: Story, _ server: TestServer) async throws {
        for person in [story.ada, story.ben, story.cleo] { _ = try await server.news(of: person) }
    }

    private func report(_ story: Story, by person: Person, _ server: TestServer) async throws {
        _ = try await server.network.responding.report(
            .foundSafe, on: try story.alert.typedID, by: person.caller)
    }

    private let question = "Are you still helping Ada?"

    @Test(arguments: [true, false])
    func responderIsAskedAfterTheWait(confirms: Bool) async throws {
        let story = try await restored { server, story in
            _ = try await server.acknowledge(story.alert, story.ben)
        }
        try await serve { server in
            try await forgetNews(of: story, server)
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alertNews(of: story.ben).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.news(of: story.ben) == [question])
            #expect(try await server.alertNews(of: story.cleo).isEmpty)
            if confirms { _ = try await server.acknowledge(story.alert, story.ben) }
            try await server.pass(.minutes(5))
            let open = try await server.openAlert(story.ada)
            #expect((open?.acknowledgement != nil) == confirms)
            let cleosNews = try await server.news(of: story.cleo)
            #expect(cleosNews.contains("Ada may still need help") == !confirms)
        }
    }

    /// The answer to the question of the backup may be lost, so the responder gets another.
    @Test func askedResponderIsAskedAgain() async throws {
        let story = try await restored(after: .minutes(40)) { server, story in
            _ = try await server.acknowledge(story.alert, story.ben)
            try await server.pass(.minutes(30))
            #expect(try await server.news(of: story.ben).last == question)
        }
        try await serve { server in
            try await forgetNews(of: story, server)
            try await server.pass(.seconds(60))
            #expect(try await server.news(of: story.ben) == [question])
            try await server.pass(.minutes(5).minusAMillisecond)
            #expect(try await server.openAlert(story.ada)?.acknowledgement != nil)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(story.ada)?.acknowledgement == nil)
        }
    }

    @Test(arguments: [true, false])
    func pauseOfAReportEndsAfterTheWait(ends: Bool) async throws {
        let story = try await restored { server, story in
            try await report(story, by: story.ben, server)
        }
        try await serve { server in
            try await forgetNews(of: story, server)
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alertNews(of: story.cleo).isEmpty)
            if ends { _ = try await server.endAlert(story.alert, story.ada) }
            try await server.pass(.milliseconds(1))
            let news = try await server.alertNews(of: story.cleo)
            #expect(news.map(\.title) == [ends ? "Ada ended the alert" : "Ada’s alert is still on"])
            guard !ends else { return }
            #expect(news.first?.body.contains("may have lost news since 12:01 UTC") == true)
            let own = try #require(try await server.alertNews(of: story.ada).last)
            #expect(own.title == "Your alert is still on")
            #expect(own.body.contains("may have lost news since 12:01 UTC"))
            #expect(try await server.openAlert(story.ada)?.report == nil)
        }
    }

    @Test func responderWhoIsOnItIsAskedAtTheEndOfAReport() async throws {
        let story = try await restored { server, story in
            _ = try await server.acknowledge(story.alert, story.ben)
            try await report(story, by: story.cleo, server)
        }
        try await serve { server in
            try await forgetNews(of: story, server)
            try await server.pass(.seconds(60))
            #expect(try await server.news(of: story.ben) == [question])
            let news = try #require(try await server.alertNews(of: story.cleo).last)
            #expect(news.title == "Ben is on it")
            #expect(news.body.hasPrefix("What Cleo reported no longer counts, because LifeSignal"))
        }
    }

    /// Only pauses of the backup end early.
    @Test func reportSinceTheRestorePausesFor12Hours() async throws {
        let story = try await restored { _, _ in }
        try await serve { server in
            try await report(story, by: story.ben, server)
            try await forgetNews(of: story, server)
            try await server.pass(.hours(12).minusAMillisecond)
            #expect(try await server.alertNews(of: story.cleo).isEmpty)
            try await server.pass(.milliseconds(1))
            let news = try #require(try await server.alertNews(of: story.cleo).last)
            #expect(news.body.hasPrefix("It was paused for 12 hours."))
        }
    }

    /// A time before the alert, or within a minute, is not the end that the restore has lost.
    @Test(arguments: [
        (Duration.minutes(5), true), (.seconds(-1), false), (.seconds(541), false),
        (.seconds(539), true),
    ])
    func resentEndHasItsTime(sinceNoon: Duration, counts: Bool) async throws {
        let story = try await restored { _, _ in }
        try await serve { server in
            try await forgetNews(of: story, server)
            let ended = try await server.network.alerts.endAlert(
                try story.alert.typedID, endedAt: noon.adding(sinceNoon), by: story.ada.caller)
            let end = counts ? noon.adding(sinceNoon) : environment.clock.now
            #expect(ended.endTime == end)
            let news = try #require(try await server.alertNews(of: story.cleo).last)
            #expect(news.title == "Ada ended the alert")
            let words =
                "LifeSignal was restored from a backup, and learned of the end at 12:10 UTC."
            #expect(news.body.hasSuffix(words) == counts)
        }
    }

    @Test func endWithoutARestoreHasTheTimeOfItsReceipt() async throws {
        try await serve { server in
            let ada = try await server.person("Ada")
            let alert = try await server.raiseAlert(ada)
            try await server.pass(.minutes(10))
            let ended = try await server.network.alerts.endAlert(
                try alert.typedID, endedAt: noon.adding(.minutes(5)), by: ada.caller)
            #expect(ended.endTime == noon.adding(.minutes(10)))
        }
    }

    /// A return in the 60 seconds after the start waits for their end, too.
    @Test(arguments: [
        (Duration.seconds(-30), Duration.seconds(60)), (.seconds(30), .seconds(60)),
        (.seconds(61), .seconds(61)),
    ])
    func returnWaitsForTheArrival(sinceStart: Duration, alertsAt: Duration) async throws {
        let start = noon.adding(.hours(2))
        let (ada, ben) = try await serve { server in
            let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            let draft = JourneyDraft(
                id: environment.id(), name: "Zugspitze",
                expectedReturn: start.adding(sinceStart), graceMinutes: 0)
            _ = try await server.network.journeys.start(draft, of: ada.caller)
            try await server.network.serverLife.giveSignOfLife()
            try server.engine.backUp(to: folder.path + "/backup.db")
            return (ada, ben)
        }
        environment.clock.set(start)
        _ = try SQLiteFile.restore(
            folder.path + "/backup.db", to: folder.database, at: environment.clock.now)
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            try await server.pass(alertsAt.minusAMillisecond)
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada)?.kind == .journey)
            let titles = try await server.news(of: ben)
            #expect(titles.last == "Ada may not be back from Zugspitze")
        }
    }
}
