import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// A check-in made offline arrives after the alarm.
@Suite struct LateCheckInTests {
    @Test func lateCheckInEndsTheAlertWithBothTimes() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])

        server.clock.pass(.minutes(40))
        try await server.checkIn(ada, at: noon.adding(.hours(23)))
        let items = try await server.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada checked in"])
        #expect(items.map(\.body) == ["Ada checked in at 11:00 UTC, received 12:40 UTC."])
        let alert = try #require(try await server.alerts(ben).first)
        #expect(alert.endTime == noon.adding(.hours(24) + .minutes(40)))
        #expect(try await server.profile(ada).nextCheckInTime == noon.adding(.hours(47)))
        #expect(try await server.profile(ada).status == .active)
    }

    @Test func promptCheckInStatesOneTime() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        try await server.checkIn(ada)
        #expect(
            try await server.newsItems(of: ben).map(\.body).last == "Ada checked in at 12:00 UTC.")
    }

    @Test func mutedResponderIsStillToldOfTheEnd() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.checkIn]), of: ben.caller)
        try await server.pass(.hours(24))
        try await server.checkIn(ada)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in", "Ada checked in"])
    }

    @Test func unnotifiedResponderIsNotToldOfTheEnd() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        // Ben is on it, so Cleo isn't alerted when she becomes a responder.
        _ = try await server.acknowledge(#require(try await server.openAlert(ben)), ben)
        try await server.connect(cleo, watchesOver: ada)
        try await server.checkIn(ada)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in", "Ada checked in"])
        #expect(try await server.news(of: cleo) == [])
    }

    @Test func ordinaryCheckInNotifiesNoOne() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(23))
        try await server.checkIn(ada)
        #expect(try await server.news(of: ben) == [])
    }

    /// The deadline after this check-in has also passed, so Ada was silent for longer than her
    /// interval.
    @Test func overdueCheckInLeavesTheAlertOpen() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        let alert = try #require(try await server.openAlert(ada))
        server.clock.set(noon.adding(.hours(34)))
        try await server.checkIn(ada, at: noon.adding(.hours(10)))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.alerts(ada).map(\.id) == [alert.id])
        #expect(try await server.openAlert(ada)?.id == alert.id)
        #expect(try await server.profile(ada).status == .nonResponsive)

        try await server.checkIn(ada, at: noon.adding(.hours(10) + .milliseconds(1)))
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func checkInAnswersEveryPing() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        for responder in [ben, cleo] {
            try await server.connect(responder, watchesOver: ada)
            _ = try await server.ping(ada, by: responder)
        }
        server.clock.pass(.minutes(5))
        try await server.checkIn(ada)
        for responder in [ben, cleo] {
            let ping = try #require(
                try await server.network.pings.pings(of: responder.caller, page: Page()).first)
            #expect(ping.state == .answered)
            #expect(ping.settledAt == noon.adding(.minutes(5)))
            #expect(try await server.news(of: responder) == ["Ada is fine"])
        }
    }

    /// Ada's check-in waited on her device. Ben's ping is newer by this time.
    @Test(arguments: [
        (Duration.minutes(2), PingRecord.State.answered, ["Ada answered your ping"]),
        (Duration.minutes(2) + .milliseconds(1), .pending, [String]()),
    ])
    func lateCheckInAnswersNoNewerPing(
        age: Duration, state: PingRecord.State, news: [String]
    ) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        server.clock.pass(.hours(1))
        let moment = server.clock.now.adding(.zero - age)
        let ping = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(1))
        try await server.checkIn(ada, at: moment)
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.first { $0.id == ping.id }?.state == state)
        #expect(try await server.news(of: ben) == news)
        try await server.checkIn(ada)
        let after = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(after.first { $0.id == ping.id }?.state == .answered)
    }
}
