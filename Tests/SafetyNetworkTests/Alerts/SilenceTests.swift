import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// No state of an alert or a schedule is silent.
@Suite struct SilenceTests {
    /// Ada has missed a check-in, and Ben has been told.
    private func missed() async throws -> (Town, ada: Person, ben: Person) {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
        return (town, ada, ben)
    }

    @Test func aLongerIntervalDoesNotMakeAMissingPersonFine() async throws {
        let (town, ada, ben) = try await missed()
        let profile = try await town.setInterval(.hours(48), of: ada)
        #expect(profile.status == .nonResponsive)
        #expect(try await town.contact(ada, seenBy: ben)?.watch?.status == .nonResponsive)
        #expect(try await town.openAlert(ada) != nil)
        try await town.checkIn(ada)
        #expect(try await town.profile(ada).status == .active)
    }

    @Test func aNewMissedDeadlineStartsTheAlertOver() async throws {
        let (town, ada, ben) = try await missed()
        _ = try await town.setInterval(.hours(48), of: ada, reminders: false)
        let first = try #require(try await town.openAlert(ada))
        try await town.pass(.hours(24) - .milliseconds(1))
        _ = try await town.news(of: ben)
        try await town.pass(.milliseconds(1))
        #expect(try await town.news(of: ben).last == "Ada missed another check-in")
        let second = try #require(try await town.openAlert(ada))
        #expect(second.id == first.id)
        #expect(second.deadline == town.clock.now)
        try await town.pass(.minutes(5))
        #expect(try await town.news(of: ben) == ["Ada is still non-responsive"])
    }

    @Test func aNewMissedDeadlineKeepsTheAcknowledgement() async throws {
        let (town, ada, ben) = try await missed()
        let cleo = try await town.person("Cleo")
        try await town.connect(cleo, watchesOver: ada)
        _ = try await town.setInterval(.hours(25), of: ada, reminders: false)
        try await town.pass(.minutes(45))
        let alert = try #require(try await town.openAlert(ben))
        _ = try await town.acknowledge(alert, ben)
        for person in [ben, cleo] { _ = try await town.news(of: person) }
        try await town.pass(.minutes(15))
        #expect(try await town.news(of: ben) == ["Ada missed another check-in"])
        #expect(try await town.news(of: cleo) == [])
        #expect(try await town.openAlert(ada)?.acknowledgement?.name == "Ben")
    }

    @Test(arguments: [2, 8, 30])
    func anUnansweredAlertIsStillRepeatedAfterDays(days: Int) async throws {
        let (town, _, ben) = try await missed()
        try await town.pass(.days(days))
        _ = try await town.news(of: ben)
        try await town.pass(.days(1))
        #expect(try await town.news(of: ben) == ["Ada is still non-responsive"])
    }

    @Test func anAlertThatEndsWithTheAccountReachesWhoeverHeardOfIt() async throws {
        let town = try Town(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.raiseAlert(ada)
        try await town.takeSMS()
        _ = try await town.news(of: ben)
        try await town.network.deleteAccount(of: ada.caller)
        let sent = try await town.takeSMS()
        #expect(sent == ["Ada has left LifeSignal"])
        let goodbye = try await town.newsItems(of: ben)
        #expect(goodbye.map(\.title).contains("Ada has left LifeSignal"))
        #expect(goodbye.contains { $0.body.hasSuffix("The alert has ended with it.") })
    }

    @Test func aMutedTypeDoesNotHideTheEndOfAnAlert() async throws {
        let (town, ada, ben) = try await missed()
        let muted = try NotificationPreferences(muted: [.checkIn, .contactRemoved, .system])
        try await town.network.setPreferences(muted, of: ben.caller)
        try await town.network.deleteAccount(of: ada.caller)
        #expect(try await town.news(of: ben).contains("Ada has left LifeSignal"))
    }

    @Test func anAlertRaisedOfflineTellsBothTimes() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let raised = noon.adding(.minutes(-11))
        let record = try await town.network.raiseAlert(
            town.world.id(), raisedAt: raised, by: ada.caller)
        #expect(record.startTime == raised)
        #expect(record.receivedTime == noon)
        #expect(
            try await town.newsItems(of: ben).map(\.body)
                == ["Ada raised an alert at 11:49 UTC, received at 12:00 UTC."])
        // The repeats count from the receipt.
        try await town.pass(.minutes(5) - .milliseconds(1))
        #expect(try await town.news(of: ben) == [])
        try await town.pass(.milliseconds(1))
        #expect(try await town.news(of: ben) == ["Ada still needs help"])
    }
}
