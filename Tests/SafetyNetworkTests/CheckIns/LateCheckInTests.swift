import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// A check-in that was made without a network and comes when the alarm has been raised.
@Suite struct LateCheckInTests {
    @Test func itEndsTheAlertAndSaysWhenItHappenedAndWhenItCame() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        #expect(try await town.news(of: ben) == ["Ada missed a check-in"])

        town.clock.pass(.minutes(40))
        try await town.checkIn(ada, at: noon.adding(.hours(23)))
        let items = try await town.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada checked in"])
        #expect(items.map(\.body) == ["Ada checked in at 11:00 UTC, received 12:40 UTC."])
        let alert = try #require(try await town.alerts(ben).first)
        #expect(alert.endTime == noon.adding(.hours(24) + .minutes(40)))
        #expect(try await town.profile(ada).nextCheckInTime == noon.adding(.hours(47)))
        #expect(try await town.profile(ada).status == .active)
    }

    @Test func oneThatComesAtOnceHasNoSecondTime() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        try await town.checkIn(ada)
        #expect(
            try await town.newsItems(of: ben).map(\.body).last == "Ada checked in at 12:00 UTC.")
    }

    @Test func whoMutedCheckInsAndWasToldIsToldThatItIsOver() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.network.setPreferences(
            NotificationPreferences(muted: [.checkIn]), of: ben.caller)
        try await town.pass(.hours(24))
        try await town.checkIn(ada)
        #expect(try await town.news(of: ben) == ["Ada missed a check-in", "Ada checked in"])
    }

    @Test func whoWasNotToldOfTheAlertIsNotToldOfItsEnd() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.armed("Ada"), try await town.person("Ben"), try await town.person("Cleo")
        )
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        // Ben is on it, so Cleo is not called when she becomes a responder.
        _ = try await town.acknowledge(#require(try await town.openAlert(ben)), ben)
        try await town.connect(cleo, watchesOver: ada)
        try await town.checkIn(ada)
        #expect(try await town.news(of: ben) == ["Ada missed a check-in", "Ada checked in"])
        #expect(try await town.news(of: cleo) == [])
    }

    @Test func anOrdinaryCheckInTellsNobody() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(23))
        try await town.checkIn(ada)
        #expect(try await town.news(of: ben) == [])
    }

    /// So old that its own deadline is past: Ada has been silent for too long all the same.
    @Test func oneWhoseOwnDeadlineIsPastLeavesTheAlertOpen() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        let alert = try #require(try await town.openAlert(ada))
        town.clock.set(noon.adding(.hours(34)))
        try await town.checkIn(ada, at: noon.adding(.hours(10)))
        try await town.watch.look()
        #expect(try await town.alerts(ada).map(\.id) == [alert.id])
        #expect(try await town.openAlert(ada)?.id == alert.id)
        #expect(try await town.profile(ada).status == .nonResponsive)

        try await town.checkIn(ada, at: noon.adding(.hours(10) + .milliseconds(1)))
        #expect(try await town.openAlert(ada) == nil)
    }

    @Test func itAnswersEveryPing() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.armed("Ada"), try await town.person("Ben"), try await town.person("Cleo")
        )
        for responder in [ben, cleo] {
            try await town.connect(responder, watchesOver: ada)
            _ = try await town.ping(ada, by: responder)
        }
        town.clock.pass(.minutes(5))
        try await town.checkIn(ada)
        for responder in [ben, cleo] {
            let ping = try #require(
                try await town.network.pings(of: responder.caller, page: Page()).first)
            #expect(ping.state == .answered)
            #expect(ping.settledAt == noon.adding(.minutes(5)))
            #expect(try await town.news(of: responder) == ["Ada is fine"])
        }
    }
}
