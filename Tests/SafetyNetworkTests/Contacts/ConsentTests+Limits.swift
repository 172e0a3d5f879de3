import Domain
import Foundation
import Testing

@testable import SafetyNetwork

extension ConsentTests {
    @Test func twentyFirstPendingRequestIsRefused() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        var people: [Person] = []
        for number in 0..<20 { people.append(try await server.person("P\(number)")) }
        for person in people { try await server.ask(person, toWatchOver: ada) }
        let last = try await server.person("Last")
        let refused = await refusal { try await server.ask(last, toWatchOver: ada) }
        #expect(refused?.field == "requests")
        #expect(try await server.contact(last, seenBy: ada) == nil)
        try await server.accept(.dependent, of: ada, by: people[0])
        try await server.ask(last, toWatchOver: ada)
        // At the limit of requests, Ada can still add contacts without a request.
        let free = try await server.person("Free")
        try await server.connect(ada, watchesOver: free)
        let later = await refusal {
            try await change(server, free, responder: true, dependent: true, by: ada)
        }
        #expect(later?.field == "requests")
    }

    @Test func aRepeatedChangeAsksOnce() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        let key: UUID = server.environment.makeID()
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        for _ in 0..<2 {
            _ = try await server.network.contacts.changeRoles(
                of: ada.id, to: roles, by: ben.caller, key: key)
        }
        #expect(try await server.news(of: ada) == ["Ben asks you"])
    }

    @Test func unacceptedResponderCannotReportOrSeeOthers() async throws {
        let (server, ada, ben) = try await street()
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        let report = await refusal {
            try await server.network.responding.report(.foundSafe, on: id, by: ben.caller)
        }
        #expect(report?.isPermissionDenied == true)
        server.clock.pass(.seconds(1))
        _ = try await server.acknowledge(alert, cleo)
        let seen = try await server.alert(alert, seenBy: ben)
        #expect(seen.acknowledgement?.name == "Cleo")
        #expect(seen.othersTold == [] && seen.history == [])
        _ = try await server.network.responding.report(.withThem, on: id, by: cleo.caller)
        let resumption = await refusal {
            try await server.network.responding.resumeRepeats(of: id, by: ben.caller)
        }
        #expect(resumption?.isPermissionDenied == true)

        try await server.accept(.dependent, of: ada, by: ben)
        let later = try await server.alert(alert, seenBy: ben)
        #expect(later.othersTold == ["Cleo"])
        #expect(later.history.map(\.kind) == [.acknowledged, .withThem])
        _ = try await server.network.responding.report(.foundSafe, on: id, by: ben.caller)
        #expect(try await server.openAlert(ada)?.report?.name == "Ben")
    }

    // MARK: Reports

    /// Ben has only been asked. Cleo and Dan are Ada's responders.
    private func helpers() async throws -> (
        server: TestServer, ada: Person, ben: Person, cleo: Person, dan: Person
    ) {
        let (server, ada, ben) = try await street()
        let (cleo, dan) = (try await server.person("Cleo"), try await server.person("Dan"))
        for person in [cleo, dan] { try await server.connect(person, watchesOver: ada) }
        try await server.ask(ben, toWatchOver: ada)
        return (server, ada, ben, cleo, dan)
    }

    /// Returns whether an event has shown the person a report.
    private func hasSeenReport(_ server: TestServer, _ person: Person) async throws -> Bool {
        try await server.events(of: person).contains { event in
            if case .alert(let record) = event { record.report != nil } else { false }
        }
    }

    @Test func reportsReachOnlyAcceptedResponders() async throws {
        let (server, ada, ben, cleo, dan) = try await helpers()
        let alert = try await server.raiseAlert(ada)
        let (id, responding) = (try alert.typedID, server.network.responding)
        for person in [ben, dan] { _ = try await server.news(of: person) }
        _ = try await responding.report(.foundSafe, on: id, by: cleo.caller)
        #expect(try await server.news(of: dan) == ["Cleo reports that Ada is safe"])
        #expect(try await server.openAlert(dan)?.report?.name == "Cleo")
        #expect(try await server.news(of: ben).isEmpty)
        #expect(try await server.openAlert(ben)?.report == nil)
        #expect(try await server.alert(alert, seenBy: ben).report == nil)
        #expect(try await !hasSeenReport(server, ben))

        server.clock.pass(.seconds(1))
        _ = try await responding.resumeRepeats(of: id, by: dan.caller)
        #expect(try await server.newsItems(of: cleo).last?.body.hasPrefix("Dan asked") == true)
        let told = try await server.newsItems(of: ben)
        #expect(told.map(\.title) == ["Ada may still need help"])
        #expect(told.first?.body.hasPrefix("Everyone is alerted again.") == true)
    }

    @Test func acceptingDuringAReportTellsOfIt() async throws {
        let (server, ada, ben, cleo, _) = try await helpers()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: cleo.caller)
        _ = try await server.news(of: ben)
        try await server.accept(.dependent, of: ada, by: ben)
        let told = try await server.news(of: ben)
        #expect(told.filter { $0 == "Cleo reports that Ada is safe" }.count == 1)
        #expect(!told.contains("Ada still needs help"))
        #expect(try await hasSeenReport(server, ben))
        #expect(try await server.openAlert(ben)?.report?.name == "Cleo")
    }

    /// Ben has said "I can't" before he accepts, and so has Dan. Cleo, who has reported, leaves.
    @Test func acceptingAfterARefusalTellsOfNothing() async throws {
        let (server, ada, ben, cleo, dan) = try await helpers()
        let alert = try await server.raiseAlert(ada)
        let (id, responding) = (try alert.typedID, server.network.responding)
        for person in [ben, dan] { _ = try await responding.declineAlert(id, by: person.caller) }
        server.clock.pass(.seconds(1))
        _ = try await responding.report(.withThem, on: id, by: cleo.caller)
        _ = try await server.news(of: ben)
        try await server.accept(.dependent, of: ada, by: ben)
        #expect(try await server.news(of: ben) == ["You accepted Ada's request"])
        #expect(try await server.openAlert(ben)?.report?.name == "Cleo")
        _ = try await server.news(of: ada)
        server.clock.pass(.seconds(1))
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        for person in [ada, ben] {
            let items = try await server.newsItems(of: person).filter { $0.alertID != nil }
            #expect(items.count == 1)
            #expect(items.first?.body.hasPrefix("Everyone who can be reached") == true)
        }
    }

    @Test func acceptingWithoutAReportTellsOfTheAlert() async throws {
        let (server, ada, ben, _, _) = try await helpers()
        _ = try await server.raiseAlert(ada)
        _ = try await server.news(of: ben)
        try await server.accept(.dependent, of: ada, by: ben)
        #expect(
            try await server.news(of: ben)
                == ["You accepted Ada's request", "Ada still needs help"])
        #expect(try await !hasSeenReport(server, ben))
    }

    /// Returns the unsent messages to Ben's webhook about an alert.
    private func unsent(_ server: TestServer, to ben: Person) async throws -> [String] {
        try await server.engine.read {
            try $0.query(
                """
                SELECT purpose FROM deliveries
                WHERE user_id = $1 AND channel = 'webhook' AND alert_id IS NOT NULL
                    AND state IN ('queued', 'retrying')
                ORDER BY created_at
                """, [.id(ben.id)]
            ) { try $0["purpose"] as String }
        }
    }

    /// Ben's webhook is down, so the alert's messages wait.
    @Test(arguments: [true, false])
    func acceptingReplacesUnsentAlarms(hasReport: Bool) async throws {
        let (server, ada, ben, cleo, _) = try await helpers()
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook,
            url: try #require(URL(string: "https://hooks.example/ben")), of: ben.caller)
        let alert = try await server.raiseAlert(ada)
        #expect(try await unsent(server, to: ben) == ["alertBegin"])
        if hasReport {
            _ = try await server.network.responding.report(
                .foundSafe, on: try alert.typedID, by: cleo.caller)
        }
        server.clock.pass(.seconds(1))
        try await server.accept(.dependent, of: ada, by: ben)
        // Ben's first alarm stays beside the news of a report.
        #expect(
            try await unsent(server, to: ben)
                == (hasReport ? ["alertBegin", "alertNews"] : ["alertRepeat"]))
    }

    @Test func askedPersonHearsOnlyWhoIsOnIt() async throws {
        let (server, ada, ben, cleo, dan) = try await helpers()
        let alert = try await server.raiseAlert(ada)
        let (id, responding) = (try alert.typedID, server.network.responding)
        _ = try await server.acknowledge(alert, cleo)
        _ = try await responding.report(.withThem, on: id, by: dan.caller)
        _ = try await server.news(of: ben)
        server.clock.pass(.seconds(1))
        _ = try await responding.withdrawAcknowledgement(of: id, by: cleo.caller)
        let withdrawn = try await server.newsItems(of: ben)
        #expect(withdrawn.map(\.title) == ["Ada still needs help"])
        #expect(withdrawn.first?.body.hasPrefix("Cleo is no longer on it.") == true)
        #expect(withdrawn.first?.body.contains("Dan") == false)

        // Dan's report ends with his role while Cleo is on it.
        server.clock.pass(.seconds(1))
        _ = try await server.acknowledge(alert, cleo)
        _ = try await server.news(of: ben)
        try await server.network.contacts.removeContact(dan.id, by: ada.caller)
        let remaining = try await server.newsItems(of: ben)
        #expect(remaining.map(\.title) == ["Cleo is still on it"])
        #expect(remaining.first?.body.contains("report") == false)
    }

    @Test func endOfAReportersRoleNamesNoReporter() async throws {
        let (server, ada, ben, cleo, dan) = try await helpers()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: cleo.caller)
        for person in [ben, dan] { _ = try await server.news(of: person) }
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        let told = try await server.newsItems(of: ben)
        #expect(told.map(\.title) == ["Ada may still need help"])
        #expect(told.first?.body.contains("Cleo") == false)
        let toDan = try await server.newsItems(of: dan)
        #expect(toDan.first?.body.hasPrefix("What Cleo reported no longer counts.") == true)
    }
}
