import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct MissedTests {
    @Test func theDeadlineItselfIsTooLate() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        town.clock.set(noon.adding(.hours(24)).aMillisecondBefore)
        try await town.watch.look()
        #expect(try await town.alerts(ada).isEmpty)
        #expect(try await town.contact(ada, seenBy: ben)?.watch?.status == .active)

        try await town.pass(.milliseconds(1))
        let alert = try #require(try await town.openAlert(ben))
        #expect(alert.kind == .missedCheckIn)
        #expect(alert.userId == ada.id.description)
        #expect(alert.deadline == noon.adding(.hours(24)))
        #expect(alert.toldLate == false)
        #expect(try await town.contact(ada, seenBy: ben)?.watch?.status == .nonResponsive)
        #expect(town.watched.all.delays == [.zero])
    }

    @Test func everyResponderIsToldOnce() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        var responders: [Person] = []
        for name in ["Ben", "Cleo", "Dora"] {
            responders.append(try await town.person(name))
            try await town.connect(responders[responders.count - 1], watchesOver: ada)
        }
        let friend = try await town.person("Emil")
        try await town.connect(ada, watchesOver: friend)
        try await town.pass(.hours(24))
        try await town.watch.look()
        for responder in responders {
            let items = try await town.newsItems(of: responder)
            #expect(items.map(\.title) == ["Ada missed a check-in"])
            #expect(
                items.map(\.body) == [
                    "The deadline passed at 12:00 UTC. Please find out if Ada is fine."
                ])
        }
        #expect(try await town.news(of: friend) == [])
        let alert = try #require(try await town.openAlert(ada))
        let ledger = try await town.alert(alert, seenBy: ada).ledger
        #expect(Set(ledger.map(\.name)) == ["Ada", "Ben", "Cleo", "Dora"])
        #expect(
            try await town.newsItems(of: ada).last?.body.contains("Your 3 responders were told.")
                == true)
    }

    @Test func whoHasNoRespondersIsToldThatNobodyWasTold() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.pass(.hours(24))
        let items = try await town.newsItems(of: ada)
        #expect(
            items.map(\.body) == [
                "The deadline passed at 12:00 UTC. You have no responders, so no one was told."
            ])
    }

    @Test func itIsOpenedOnceAndANextOneAfterACheckIn() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        for _ in 1...5 { try await town.pass(.hours(12)) }
        #expect(try await town.alerts(ada).count == 1)
        try await town.checkIn(ada)
        #expect(try await town.openAlert(ada) == nil)
        try await town.pass(.hours(24))
        #expect(try await town.alerts(ada).count == 2)
        #expect(town.watched.all.missed == 2)
    }

    @Test func aCheckInAtTheLastMomentIsInTime() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        town.clock.set(noon.adding(.hours(24)).aMillisecondBefore)
        try await town.checkIn(ada)
        try await town.pass(.milliseconds(1))
        #expect(try await town.alerts(ada).isEmpty)
    }

    /// The watch was held up for a moment, and the check-in came first.
    @Test func aCheckInAfterTheDeadlineAndBeforeTheLookRaisesNothing() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        town.clock.pass(.hours(24) + .milliseconds(500))
        try await town.checkIn(ada)
        try await town.watch.look()
        #expect(try await town.alerts(ada).isEmpty)
    }

    @Test func aGreatManyAtTheSameMomentAreAllNoticed() async throws {
        let town = try Town(options: { $0.codesPerAddress = 1000 })
        var people: [Person] = []
        for number in 0..<60 { people.append(try await town.armed("Person \(number)")) }
        try await town.pass(.hours(24))
        for person in people { #expect(try await town.openAlert(person)?.kind == .missedCheckIn) }
        #expect(town.watched.all.missed == 60)
    }

    @Test func twoWatchesOpenNothingTwice() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        town.clock.pass(.hours(24))
        let other = Watch(town.network, report: town.watched.take)
        async let first = town.watch.look()
        async let second = other.look()
        _ = try await (first, second)
        #expect(try await town.alerts(ada).count == 1)
        #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
        #expect(town.watched.all.missed == 1)

        town.clock.pass(.minutes(5))
        async let third = town.watch.look()
        async let fourth = other.look()
        _ = try await (third, fourth)
        #expect(try await town.news(of: ben) == ["Ada is still non-responsive"])
    }
}
