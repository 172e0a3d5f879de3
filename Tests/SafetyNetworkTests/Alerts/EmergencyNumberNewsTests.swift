import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// News of Ada's alert gives the emergency number while no responder is on it. Ben is on it first.
@Suite struct EmergencyNumberNewsTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person
    private let alert: AlertRecord

    private let ofAda = "Emergency number where Ada's phone is registered: 911."
    private let ofReader = "Emergency number where your phone is registered: 911."

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        alert = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(1))
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.seconds(1))
    }

    private func forgetNews() async throws {
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
    }

    private func lastNews(of person: Person) async throws -> NotificationItem {
        try #require(try await server.alertNews(of: person).last)
    }

    @Test func newsOfAnAcknowledgementHasNoNumber() async throws {
        for person in [ada, cleo] {
            let news = try await lastNews(of: person)
            #expect(news.title == "Ben is on it" && !news.body.contains("mergency"))
        }
    }

    @Test func newsOfAWithdrawalHasTheNumber() async throws {
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        let (own, others) = (try await lastNews(of: ada), try await lastNews(of: cleo))
        #expect(own.title == "Ben is no longer on it" && own.body.hasSuffix(ofReader))
        #expect(others.title == "Ada still needs help" && others.body.hasSuffix(ofAda))
    }

    @Test func newsOfADepartureHasTheNumber() async throws {
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        let (own, others) = (try await lastNews(of: ada), try await lastNews(of: cleo))
        #expect(own.title == "Ben is no longer on it" && own.body.hasSuffix(ofReader))
        #expect(others.title == "Ada still needs help" && others.body.hasSuffix(ofAda))
    }

    @Test func newsOfALapseHasTheNumber() async throws {
        try await server.pass(.minutes(30))
        try await forgetNews()
        try await server.pass(.minutes(5))
        let (own, others) = (try await lastNews(of: ada), try await lastNews(of: cleo))
        #expect(own.title == "Ben has not confirmed" && own.body.hasSuffix(ofReader))
        #expect(others.title == "Ada may still need help" && others.body.hasSuffix(ofAda))
    }

    @Test func newsOfALiftedReportHasTheNumber() async throws {
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: ben.caller)
        try await forgetNews()
        _ = try await server.network.responding.resumeRepeats(
            of: try alert.typedID, by: cleo.caller)
        let (own, others) = (try await lastNews(of: ada), try await lastNews(of: ben))
        #expect(own.title == "Your alert is still on" && own.body.hasSuffix(ofReader))
        #expect(others.title == "Ada may still need help" && others.body.hasSuffix(ofAda))
    }

    @Test func newsAfterThePauseHasTheNumber() async throws {
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: ben.caller)
        _ = try await server.network.responding.report(
            .foundSafe, on: try alert.typedID, by: cleo.caller)
        try await server.pass(.hours(12))
        let (own, others) = (try await lastNews(of: ada), try await lastNews(of: ben))
        #expect(own.title == "Your alert is still on" && own.body.hasSuffix(ofReader))
        #expect(others.title == "Ada’s alert is still on" && others.body.hasSuffix(ofAda))
    }
}
