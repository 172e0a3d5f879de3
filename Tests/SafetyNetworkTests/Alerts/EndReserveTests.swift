import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Ben's webhook takes the alarm. If it doesn't take the end, an SMS tells Ben.
@Suite struct EndReserveTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let device: PushEndpointID

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        device = try await server.addWebhook(to: ben)
        for channel in [DeliveryChannel.webhook, .sms] { _ = try await server.send(channel) }
    }

    /// Raises an alert that Ben's webhook takes.
    private func heardAlert() async throws -> AlertRecord {
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.send(.webhook) == ["Ben"])
        server.clock.pass(.seconds(1))
        return alert
    }

    private func removeWebhook() async throws {
        try await server.network.endpoints.deletePushEndpoint(device, of: ben.caller)
    }

    private func textsToBen() async throws -> Int {
        try await server.send(.sms).count { $0 == "Ben" }
    }

    @Test(arguments: [false, true])
    func refusedEndIsTexted(isOnIt: Bool) async throws {
        let alert = try await heardAlert()
        if isOnIt { _ = try await server.acknowledge(alert, ben) }
        _ = try await server.endAlert(alert, ada)
        #expect(try await textsToBen() == 0)
        try await server.refuseWebhook(of: ben)
        #expect(try await textsToBen() == 1)
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada ended the alert")
    }

    @Test func endIsTextedWhenItsEndpointIsRemoved() async throws {
        let alert = try await heardAlert()
        _ = try await server.endAlert(alert, ada)
        try await removeWebhook()
        #expect(try await textsToBen() == 1)
    }

    @Test func endIsTextedAtOnceWithoutAnEndpoint() async throws {
        let alert = try await heardAlert()
        try await removeWebhook()
        _ = try await server.endAlert(alert, ada)
        #expect(try await textsToBen() == 1)
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada ended the alert")
    }

    @Test func unansweredEndIsTextedAfter30Seconds() async throws {
        let alert = try await heardAlert()
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.reason(.sms, ben) == "waiting-for-receipt")
        server.clock.pass(.milliseconds(29_999))
        #expect(try await textsToBen() == 0)
        server.clock.pass(.milliseconds(1))
        #expect(try await textsToBen() == 1)
    }

    @Test(arguments: [false, true])
    func endOfAnUnheardAlertIsNotTexted(isRemovedFirst: Bool) async throws {
        let alert = try await server.raiseAlert(ada)
        // The SMS of the alarm is due now, and the end withdraws it.
        if isRemovedFirst { try await removeWebhook() }
        _ = try await server.endAlert(alert, ada)
        if !isRemovedFirst { try await server.refuseWebhook(of: ben) }
        server.clock.pass(.minutes(1))
        #expect(try await textsToBen() == 0)
    }

    /// Cleo was asked to be a responder and hasn't accepted, so she gets no SMS.
    @Test func askedPersonGetsNoText() async throws {
        let cleo = try await server.person("Cleo")
        _ = try await server.addWebhook(to: cleo)
        try await server.ask(cleo, toWatchOver: ada)
        _ = try await server.send(.webhook)
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.send(.webhook).sorted() == ["Ben", "Cleo"])
        _ = try await server.endAlert(alert, ada)
        for person in [ben, cleo] { try await server.refuseWebhook(of: person) }
        #expect(try await server.send(.sms) == ["Ben"])
    }

    @Test func removedResponderIsTextedToo() async throws {
        _ = try await heardAlert()
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await textsToBen() == 0)
        try await server.refuseWebhook(of: ben)
        #expect(try await textsToBen() == 1)
    }

    @Test func readEndIsNotTexted() async throws {
        let alert = try await heardAlert()
        _ = try await server.endAlert(alert, ada)
        _ = try await server.news(of: ben)
        try await removeWebhook()
        server.clock.pass(.minutes(1))
        #expect(try await textsToBen() == 0)
    }

    /// "Ended" must not follow "needs help".
    @Test func nextAlertWithdrawsTheText() async throws {
        let alert = try await heardAlert()
        _ = try await server.endAlert(alert, ada)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(ada)
        try await removeWebhook()
        #expect(try await textsToBen() == 1)
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada needs help")
        server.clock.pass(.minutes(1))
        #expect(try await textsToBen() == 0)
    }

    /// No SMS has told Ben of an alert, so the next end needs none at once.
    @Test func dueTextOfAnEarlierEndCountsAsNone() async throws {
        let first = try await heardAlert()
        _ = try await server.endAlert(first, ada)
        server.clock.pass(.seconds(30))
        let second = try await server.raiseAlert(ada)
        // The webhook gets the first alert's end before the second alarm.
        for _ in 1...2 { #expect(try await server.send(.webhook) == ["Ben"]) }
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(second, ada)
        #expect(try await textsToBen() == 0)
        try await server.refuseWebhook(of: ben)
        #expect(try await textsToBen() == 1)
    }

    /// From the fourth alert in ten minutes on, the SMS about the end waits ten minutes.
    @Test func limitDelaysTheText() async throws {
        for number in 1...4 {
            let alert = try await heardAlert()
            _ = try await server.endAlert(alert, ada)
            if number < 4 { _ = try await server.send(.webhook) }
            server.clock.pass(.seconds(1))
        }
        try await server.refuseWebhook(of: ben)
        #expect(try await textsToBen() == 0)
        server.clock.pass(.minutes(10))
        #expect(try await textsToBen() == 1)
    }
}

extension TestServer {
    func addWebhook(to person: Person) async throws -> PushEndpointID {
        let id: PushEndpointID = environment.id()
        _ = try await network.endpoints.savePushEndpoint(
            id, kind: .webhook,
            url: try #require(URL(string: "https://\(person.name.lowercased()).example")),
            of: person.caller)
        return id
    }

    /// The person's webhooks refuse all due messages.
    func refuseWebhook(of person: Person) async throws {
        let (id, now) = (person.id, clock.now)
        try await engine.write(about: Subjects([id])) { transaction in
            let due = try transaction.dueDeliveries(.webhook, priority: 0, at: now, limit: 100)
                .filter { $0.endpoint.userID == id }
            for delivery in try transaction.leaseDeliveries(due, lease: .seconds(60)).taken {
                try transaction.settleDelivery(
                    delivery.record, DeliveryUpdate(.failed, reason: .http(400), at: now))
            }
            try transaction.advanceSteps(of: [id])
        }
    }
}
