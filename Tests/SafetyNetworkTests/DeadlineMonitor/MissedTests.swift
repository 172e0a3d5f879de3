import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct MissedTests {
    @Test func theDeadlineItselfIsTooLate() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        server.clock.set(noon.adding(.hours(24)).aMillisecondBefore)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.status == .active)

        try await server.pass(.milliseconds(1))
        let alert = try #require(try await server.openAlert(ben))
        #expect(alert.kind == .missedCheckIn)
        #expect(alert.userId == ada.id.description)
        #expect(alert.deadline == noon.adding(.hours(24)))
        #expect(alert.toldLate == false)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.status == .nonResponsive)
        #expect(server.watched.all.delays == [.zero])
    }

    @Test func everyResponderIsToldOnce() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.armed("Ada")
        var responders: [Person] = []
        for name in ["Ben", "Cleo", "Dora"] {
            responders.append(try await server.person(name))
            try await server.connect(responders[responders.count - 1], watchesOver: ada)
        }
        let friend = try await server.person("Emil")
        try await server.connect(ada, watchesOver: friend)
        try await server.pass(.hours(24))
        try await server.deadlineMonitor.handleDueDeadlines()
        for responder in responders {
            let items = try await server.newsItems(of: responder)
            #expect(items.map(\.title) == ["Ada missed a check-in"])
            #expect(
                items.map(\.body) == [
                    """
                    Ada should have checked in by 12:00 UTC. Please find out if they are fine. \
                    Emergency number where Ada's phone is registered: 911.
                    """
                ])
        }
        #expect(try await server.news(of: friend) == [])
        let alert = try #require(try await server.openAlert(ada))
        let ledger = try await server.alert(alert, seenBy: ada).ledger
        #expect(Set(ledger.map(\.name)) == ["Ada", "Ben", "Cleo", "Dora"])
        #expect(
            try await server.newsItems(of: ada).last?.body.contains(
                "Your 3 responders are being told.")
                == true)
    }

    @Test func missWithoutRespondersTellsTheOwner() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(24))
        let items = try await server.newsItems(of: ada)
        #expect(
            items.map(\.body) == [
                """
                You should have checked in by 12:00 UTC. You have no responders, so no one was \
                told. If you need help, call for help directly. Emergency number where your phone \
                is registered: 911.
                """
            ])
    }

    /// Ben is reached until he sends STOP.
    @Test(arguments: [true, false]) func missThatReachesNobodySaysWhatToCall(
        isReached: Bool
    ) async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        if !isReached { try await server.network.textAnswers.stopTexts(to: ben.number) }
        for _ in 1...2 {
            _ = try await server.news(of: ada)
            try await server.pass(.hours(24))
            let missed = try await server.newsItems(of: ada).first {
                $0.title == "You missed your check-in"
            }
            let body = try #require(missed?.body)
            #expect(
                body.hasSuffix(
                    "If not, call for help directly. Emergency number where your phone is "
                        + "registered: 911.") != isReached)
            #expect(body.contains("mergency") != isReached)
            _ = try await server.setInterval(.hours(48), of: ada, reminders: false)
        }
    }

    @Test func alertOpensOnceUntilTheNextCheckIn() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for _ in 1...5 { try await server.pass(.hours(12)) }
        #expect(try await server.alerts(ada).count == 1)
        try await server.checkIn(ada)
        #expect(try await server.openAlert(ada) == nil)
        try await server.pass(.hours(24))
        #expect(try await server.alerts(ada).count == 2)
        #expect(server.watched.all.missed == 2)
    }

    @Test func aCheckInAtTheLastMomentIsInTime() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.set(noon.adding(.hours(24)).aMillisecondBefore)
        try await server.checkIn(ada)
        try await server.pass(.milliseconds(1))
        #expect(try await server.alerts(ada).isEmpty)
    }

    /// The check-in arrives after the deadline, but before the deadline monitor runs.
    @Test func checkInBeforeTheMonitorRunsRaisesNothing() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.pass(.hours(24) + .milliseconds(500))
        try await server.checkIn(ada)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func manySimultaneousMissesAreAllNoticed() async throws {
        let server = try TestServer(options: { $0.codesPerAddress = 1000 })
        var people: [Person] = []
        for number in 0..<60 { people.append(try await server.armed("Person \(number)")) }
        try await server.pass(.hours(24))
        for person in people { #expect(try await server.openAlert(person)?.kind == .missedCheckIn) }
        #expect(server.watched.all.missed == 60)
    }

    @Test func twoMonitorsOpenNoDuplicates() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        server.clock.pass(.hours(24))
        let other = DeadlineMonitor(server.network, onPass: server.watched.record)
        async let first = server.deadlineMonitor.handleDueDeadlines()
        async let second = other.handleDueDeadlines()
        _ = try await (first, second)
        #expect(try await server.alerts(ada).count == 1)
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        #expect(server.watched.all.missed == 1)

        server.clock.pass(.minutes(5))
        async let third = server.deadlineMonitor.handleDueDeadlines()
        async let fourth = other.handleDueDeadlines()
        _ = try await (third, fourth)
        #expect(try await server.news(of: ben) == ["Ada still hasn't checked in"])
    }
}
