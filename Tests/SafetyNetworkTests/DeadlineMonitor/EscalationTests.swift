import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct EscalationTests {
    /// Repeats follow after 5, 15 and 30 minutes, then hourly for a day, then every six hours.
    @Test func unansweredAlertRepeatsForADay() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        #expect(try await server.news(of: ben) == ["Ada needs help"])
        var told: [Int] = []
        for minute in 1...(29 * 60) {
            try await server.pass(.minutes(1))
            let news = try await server.news(of: ben)
            #expect(news.allSatisfy { $0 == "Ada still needs help" })
            told += news.map { _ in minute }
        }
        #expect(told == [5, 15, 30] + (1...24).map { 60 * $0 })
        #expect(try await server.openAlert(ada) != nil)
        #expect(
            try await server.alert(try #require(try await server.openAlert(ada)), seenBy: ben)
                .ledger
                .count == 28)
    }

    @Test func firstAcknowledgementWinsAndOthersAreTold() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }

        server.clock.pass(.seconds(90))
        let first = try await server.acknowledge(alert, ben)
        #expect(first.acknowledgement?.name == "Ben")
        #expect(first.acknowledgement?.afterSeconds == 90)
        server.clock.pass(.seconds(10))
        let seenByCleo = try await server.acknowledge(alert, cleo).acknowledgement
        #expect(seenByCleo?.name == "Ben")
        #expect(seenByCleo?.time == first.acknowledgement?.time)
        #expect(try await server.acknowledge(alert, ben).acknowledgement == first.acknowledgement)

        #expect(try await server.news(of: cleo) == ["Ben is on it"])
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.newsItems(of: ada).map(\.body) == ["Ben is helping you."])
        let ledger = try await server.alert(alert, seenBy: ada).ledger
        #expect(ledger.filter { $0.name == "Ben" }.map(\.state) == [.acknowledged])
        #expect(ledger.filter { $0.name == "Cleo" }.contains { $0.state == .acknowledged } == false)
    }

    @Test func ownAndStrangersAlertsRefuseAcknowledgement() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        try await server.connect(ada, watchesOver: ben)
        let alert = try await server.raiseAlert(ada)
        #expect(
            await refusal { try await server.acknowledge(alert, ada) }?.isPermissionDenied == true)
        #expect(await refusal { try await server.acknowledge(alert, ben) }?.isNotFound == true)
        #expect(await refusal { try await server.acknowledge(alert, cleo) }?.isNotFound == true)
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    /// After half an hour, the server asks the responder whether they are still on it. Without an
    /// answer in five minutes, everyone is alerted again.
    @Test func unconfirmedAcknowledgementLapses() async throws {
        let (server, ada, ben, cleo, alert) = try await acknowledged()
        try await server.pass(.minutes(30) - .milliseconds(1))
        #expect(try await server.news(of: ben) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ben) == ["Are you still helping Ada?"])
        try await server.pass(.minutes(5) - .milliseconds(1))
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Ben")

        try await server.pass(.milliseconds(1))
        let words = [
            (ben, "You have not confirmed, so you are no longer on it. Please find out."),
            (cleo, "Ben has not confirmed. Please find out."),
        ]
        for (responder, beginning) in words {
            let news = try await server.newsItems(of: responder)
            #expect(news.map(\.title) == ["Ada may still need help"])
            #expect(news.allSatisfy { $0.body.hasPrefix(beginning) })
        }
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        // The next repeat is due 60 minutes after the start.
        try await server.pass(.minutes(24) - .milliseconds(1))
        #expect(try await server.news(of: cleo) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.endAlert(alert, ada).acknowledgement?.end == .lapsed)
    }

    @Test func theOwnerIsToldOnceOfALapse() async throws {
        let (server, ada, _, _, _) = try await acknowledged()
        try await server.pass(.minutes(30))
        #expect(try await server.news(of: ada) == [])
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: ada) == ["Ben has not confirmed"])
        // The next repeats bring the owner no message of their own.
        for _ in 1...3 { try await server.pass(.hours(1)) }
        #expect(try await server.news(of: ada) == [])
    }

    @Test func confirmedAcknowledgementStopsRepeats() async throws {
        let (server, _, ben, cleo, alert) = try await acknowledged()
        for _ in 1...3 {
            try await server.pass(.minutes(30))
            #expect(try await server.news(of: ben) == ["Are you still helping Ada?"])
            try await server.pass(.minutes(4))
            #expect(try await server.acknowledge(alert, ben).acknowledgement?.name == "Ben")
        }
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.news(of: cleo) == Array(repeating: "Ben is still on it", count: 3))
    }

    @Test func confirmationIsNotTexted() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        try await server.send(.sms)
        _ = try await server.acknowledge(alert, ben)
        #expect(try await server.send(.sms).sorted() == ["Ada", "Cleo"])
        try await server.pass(.minutes(30))
        #expect(try await server.send(.sms) == ["Ben"])
        _ = try await server.acknowledge(alert, ben)
        #expect(try await server.send(.sms) == [])
        #expect(try await server.news(of: cleo).last == "Ben is still on it")
    }

    @Test func anotherAcknowledgesAfterALapse() async throws {
        let (server, ada, ben, cleo, alert) = try await acknowledged()
        try await server.pass(.minutes(30))
        try await server.pass(.minutes(5))
        _ = (try await server.news(of: ada), try await server.news(of: ben))
        let record = try await server.acknowledge(alert, cleo)
        #expect(record.acknowledgement?.name == "Cleo")
        #expect(try await server.openAlert(ben)?.acknowledgement?.name == "Cleo")
        #expect(try await server.news(of: ben) == ["Cleo is on it"])
        #expect(try await server.news(of: ada) == ["Cleo is on it"])
        #expect(try await server.endAlert(alert, ada).acknowledgement?.name == "Cleo")
    }

    @Test func endedAlertSendsNothingMore() async throws {
        let (server, ada, ben, _, alert) = try await acknowledged()
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.news(of: ben) == ["Ada ended the alert"])
        #expect(try await server.acknowledge(alert, ben).isActive == false)
        #expect(try await server.pass(.hours(30)) == nil)
        #expect(try await server.news(of: ben) == [])
    }

    /// Ada has raised an alert, and Ben has acknowledged it a minute later.
    private func acknowledged() async throws -> (
        TestServer, ada: Person, ben: Person, cleo: Person, AlertRecord
    ) {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
        return (server, ada, ben, cleo, alert)
    }
}
