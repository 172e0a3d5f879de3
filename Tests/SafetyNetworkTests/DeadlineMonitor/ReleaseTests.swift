import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// If the responder who is on an alert loses the role, the others are alerted again.
@Suite struct ReleaseTests {
    enum Way: CaseIterable, Sendable {
        case removedByAda, removedByBen, rolesChanged, blocked, accountDeleted
    }

    /// Returns Ada and her responders Ben and Cleo.
    private func watched() async throws -> (TestServer, Person, Person, Person) {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        return (server, ada, ben, cleo)
    }

    private func part(
        _ ben: Person, from ada: Person, _ way: Way, _ server: TestServer
    ) async throws {
        switch way {
        case .removedByAda: try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        case .removedByBen: try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        case .blocked: _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        case .accountDeleted: try await server.deleteAccount(ben)
        case .rolesChanged:
            _ = try await server.network.contacts.changeRoles(
                of: ben.id, to: ContactRoles(isResponder: false, isDependent: true), by: ada.caller)
        }
    }

    @Test(arguments: Way.allCases)
    func releaseAlertsTheOthersAgain(way: Way) async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(10))
        _ = try await server.news(of: cleo)

        try await part(ben, from: ada, way, server)
        #expect(try await server.openAlert(cleo)?.acknowledgement == nil)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.acknowledge(alert, cleo).acknowledgement?.name == "Cleo")
        #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Cleo")
    }

    /// Nobody stands for the report any more.
    @Test(arguments: Way.allCases)
    func departureOfTheReporterEndsThePause(way: Way) async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        try await server.pass(.minutes(10))
        for person in [ada, cleo] { _ = try await server.news(of: person) }

        try await part(ben, from: ada, way, server)
        let open = try #require(try await server.openAlert(ada))
        #expect(open.id == alert.id && open.report == nil)
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
        #expect(try await server.news(of: ada).contains("Your alert is still on"))
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
    }

    /// Cleo is on it, and Ben's report ends with his role. Cleo was asked before the report, so the
    /// server asks her again.
    @Test(arguments: Way.allCases)
    func departureOfTheReporterKeepsAnothersHelp(way: Way) async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, cleo)
        try await server.pass(.minutes(30))
        #expect(try await server.news(of: cleo).last == "Are you still helping Ada?")
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        try await server.pass(.minutes(10))
        for person in [ada, cleo] { _ = try await server.news(of: person) }

        try await part(ben, from: ada, way, server)
        let open = try #require(try await server.openAlert(ada))
        #expect(open.report == nil && open.acknowledgement?.name == "Cleo")
        let toOwner = try await server.alertNews(of: ada)
        #expect(toOwner.map(\.title) == ["Cleo is on it"])
        #expect(toOwner.first?.body == "What Ben reported no longer counts.")
        let toCleo = try await server.alertNews(of: cleo)
        #expect(toCleo.map(\.title) == ["You are still helping Ada"])
        #expect(toCleo.map(\.body) == ["What Ben reported no longer counts."])
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: cleo) == ["Are you still helping Ada?"])
        try await server.pass(.minutes(5).minusAMillisecond)
        #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Cleo")
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }

    @Test(arguments: Way.allCases)
    func departureOfTheHelperKeepsAnothersReport(way: Way) async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: cleo.caller)
        try await server.pass(.minutes(20))
        for person in [ada, cleo] { _ = try await server.news(of: person) }

        try await part(ben, from: ada, way, server)
        let open = try #require(try await server.openAlert(ada))
        #expect(open.acknowledgement == nil && open.report?.name == "Cleo")
        let toOwner = try await server.alertNews(of: ada)
        #expect(toOwner.map(\.title) == ["Cleo says they are with you"])
        _ = try await server.news(of: cleo)
        try await server.pass(.hours(11))
        #expect(try await server.news(of: cleo) == [])
    }

    /// Ben is Ada's only responder.
    @Test(arguments: Way.allCases)
    func departureOfTheOnlyResponderIsToldAsSuch(way: Way) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        try await server.pass(.minutes(10))
        _ = try await server.news(of: ada)

        try await part(ben, from: ada, way, server)
        let news = try await server.alertNews(of: ada)
        #expect(news.map(\.title) == ["Your alert is still on"])
        let body = try #require(news.first?.body)
        #expect(
            body.hasPrefix("Ben is no longer on it. You have no other responders."), "\(body)")
        #expect(body.contains("registered: 911."))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)

        // Ben was told, so the repeats must not deny it.
        try await server.pass(.minutes(5))
        let repeats = try await server.alertNews(of: ada).map(\.body)
        let words = "It began at 12:00 UTC. You have no responders now."
        #expect(!repeats.isEmpty && repeats.allSatisfy { $0.hasPrefix(words) }, "\(repeats)")
    }

    @Test func bystanderLeavesWithoutNews() async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        _ = try await server.news(of: ben)
        try await server.pass(.minutes(29))
        #expect(try await server.openAlert(ben)?.acknowledgement?.name == "Ben")
        #expect(try await server.news(of: ben) == [])
    }

    /// The others are alerted even if the alert is more than a day old.
    @Test func releaseAlertsTheOthersAfterADayToo() async throws {
        let (server, ada, ben, cleo) = try await watched()
        let alert = try await server.raiseAlert(ada)
        try await server.pass(.hours(25))
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.news(of: cleo)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: cleo).isEmpty == false)
    }
}
