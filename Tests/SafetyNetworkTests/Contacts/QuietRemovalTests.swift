import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada removes her responder Ben without a message to him.
@Suite struct QuietRemovalTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
    }

    private func leave(_ person: Person, by leaver: Person) async throws {
        try await server.network.contacts.removeContact(person.id, quietly: true, by: leaver.caller)
    }

    private func deliveries(to person: Person) async throws -> Int {
        try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM deliveries WHERE user_id = $1", [.id(person.id)])
        }
    }

    @Test func quietRemovalSendsNothing() async throws {
        try await server.connect(ben, watchesOver: ada)
        let (sent, events) = (try await deliveries(to: ben), try await server.events(of: ben).count)
        try await leave(ben, by: ada)
        #expect(try await server.news(of: ben) == [])
        #expect(try await deliveries(to: ben) == sent)
        #expect(try await server.network.contacts.contacts(of: ben.caller).isEmpty)
        // Ben's open pages remove the contact, but no message announces it.
        let new = try await server.events(of: ben).dropFirst(events)
        #expect(Array(new) == [.contactRemoved(.init(contactID: ada.id))])
    }

    @Test func theRemoverIsToldWhatTheyLost() async throws {
        try await server.connect(ben, watchesOver: ada)
        try await leave(ben, by: ada)
        let news = try await server.news(of: ada)
        #expect(news == ["Ben is no longer your contact", "You have no responders now"])
    }

    @Test func respondersPingEndsSilently() async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.ping(ada, by: ben)
        _ = try await server.news(of: ben)
        try await leave(ben, by: ada)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func openAlertForbidsQuietRemoval() async throws {
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        #expect(await refusal { try await leave(ben, by: ada) }?.isPermissionDenied == true)
        #expect(try await server.contact(ben, seenBy: ada) != nil)
        _ = try await server.endAlert(alert, ada)
        try await leave(ben, by: ada)
        #expect(try await server.contact(ben, seenBy: ada) == nil)
    }

    @Test func theEndOfAnAlertStillArrives() async throws {
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        try await leave(ben, by: ada)
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
    }

    @Test func endArrivesAfterRemovalAndDeletion() async throws {
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        try await leave(ben, by: ada)
        try await server.deleteAccount(ada)
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
    }

    @Test func deliveredEndIsDeletedWithTheAccount() async throws {
        try await server.connect(ben, watchesOver: ada)
        let before = try await deliveries(to: ben)
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        try await server.takeSMS()
        try await leave(ben, by: ada)
        try await server.deleteAccount(ada)
        #expect(try await server.takeSMS() == [])
        #expect(try await deliveries(to: ben) == before)
    }

    @Test func leavingResponderIsAnnounced() async throws {
        try await server.connect(ben, watchesOver: ada)
        #expect(await refusal { try await leave(ada, by: ben) }?.isPermissionDenied == true)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await server.news(of: ada).contains("Ben is no longer your contact"))
    }

    @Test func dependentOfTheRemoverMustBeTold() async throws {
        try await server.connect(ben, watchesOver: ada, mutually: true)
        #expect(await refusal { try await leave(ben, by: ada) }?.isPermissionDenied == true)
        #expect(try await server.contact(ben, seenBy: ada)?.isResponder == true)
    }

    @Test func pendingRequestAllowsQuietRemoval() async throws {
        try await server.connect(ben, watchesOver: ada)
        let both = try ContactRoles(isResponder: true, isDependent: true)
        _ = try await server.network.contacts.changeRoles(of: ada.id, to: both, by: ben.caller)
        _ = try await server.news(of: ben)
        try await leave(ben, by: ada)
        #expect(try await server.news(of: ben) == [])
        #expect(try await server.network.contacts.contacts(of: ben.caller).isEmpty)
    }

    /// Ben has asked Ada to be his responder, too.
    private func ask(adaToWatchOver ben: Person) async throws {
        try await server.connect(ben, watchesOver: ada)
        let both = try ContactRoles(isResponder: true, isDependent: true)
        _ = try await server.network.contacts.changeRoles(of: ada.id, to: both, by: ben.caller)
    }

    @Test func quietRemovalWithdrawsAnAcknowledgement() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ben)
        try await ask(adaToWatchOver: ben)
        let alert = try await server.raiseAlert(ben)
        _ = try await server.acknowledge(alert, ada)
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement?.name == "Ada")
        for person in [ben, cleo] { _ = try await server.news(of: person) }
        try await leave(ben, by: ada)
        #expect(try await server.alert(alert, seenBy: ben).acknowledgement == nil)
        #expect(try await server.news(of: ben) == ["Ada is no longer on it"])
        #expect(try await server.news(of: cleo) == ["Ben still needs help"])
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: cleo) == ["Ben still needs help"])
    }

    @Test func quietRemovalDuringAnAlertOfTheOtherSendsNothing() async throws {
        try await ask(adaToWatchOver: ben)
        try await server.raiseAlert(ben)
        _ = try await server.news(of: ben)
        try await leave(ben, by: ada)
        #expect(try await server.news(of: ben) == [])
    }
}
