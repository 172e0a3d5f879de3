import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// A person who gains or loses a responder is notified, even if they have muted such messages.
@Suite struct ProtectionTests {
    static let lost = "You have no responders now"

    private func watched(by names: [String]) async throws -> (TestServer, ada: Person, [Person]) {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        var responders: [Person] = []
        for name in names {
            let responder = try await server.person(name)
            try await server.connect(responder, watchesOver: ada)
            responders.append(responder)
        }
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: muted), of: ada.caller)
        return (server, ada, responders)
    }

    enum Way: CaseIterable, Sendable {
        case removedByThem, removedByAda, leftRole, deleted, blocked

        var news: String {
            switch self {
            case .removedByThem, .removedByAda, .blocked: "Ben is no longer your contact"
            case .leftRole: "Roles changed with Ben"
            case .deleted: "Ben has left LifeSignal"
            }
        }
    }

    private func lose(_ ben: Person, _ ada: Person, _ way: Way, _ server: TestServer) async throws {
        switch way {
        case .removedByThem: try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        case .removedByAda: try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        case .leftRole:
            // Ada's request keeps the two connected.
            _ = try await server.network.contacts.changeRoles(
                of: ben.id, to: ContactRoles(isResponder: true, isDependent: true), by: ada.caller)
            try await server.accept(.responder, of: ada, by: ben)
            _ = try await server.network.contacts.changeRoles(
                of: ada.id, to: ContactRoles(isResponder: true, isDependent: false),
                by: ben.caller)
        case .deleted: try await server.deleteAccount(ben)
        case .blocked: _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        }
    }

    @Test(arguments: Way.allCases) func lastResponderLossIsAnnounced(way: Way) async throws {
        let (server, ada, responders) = try await watched(by: ["Ben"])
        try await lose(responders[0], ada, way, server)
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.title) == [way.news, Self.lost])
        #expect(told.last?.type == .system)
        #expect(told.last?.body == "No one will be alerted if you miss a check-in.")
    }

    @Test(arguments: Way.allCases) func lastResponderLossDuringAnAlertNamesIt(way: Way) async throws
    {
        let (server, ada, responders) = try await watched(by: ["Ben"])
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        _ = try await server.news(of: ada)
        try await lose(responders[0], ada, way, server)
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.title).contains("Your alert is still on"))
        #expect(!told.map(\.title).contains(Self.lost))
        let news = try #require(told.first { $0.type == .alert })
        #expect(news.alertID == id)
        #expect(news.body.hasPrefix("You have no responders any more. Call for help directly."))
        #expect(news.body.contains("mergency"))
    }

    /// Ben was on the alert, so the news of his departure says that no other responder is left.
    @Test func departureOfTheHelperIsToldOnce() async throws {
        let (server, ada, responders) = try await watched(by: ["Ben"])
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, responders[0])
        _ = try await server.news(of: ada)
        try await lose(responders[0], ada, .removedByThem, server)
        let titles = try await server.news(of: ada)
        #expect(titles.filter { $0 == "Your alert is still on" }.count == 1)
        #expect(titles.contains(Self.lost))
    }

    @Test func lossAfterTheAlertIsOrdinary() async throws {
        let (server, ada, responders) = try await watched(by: ["Ben"])
        _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        _ = try await server.news(of: ada)
        try await lose(responders[0], ada, .removedByThem, server)
        #expect(try await server.news(of: ada).contains(Self.lost))
    }

    @Test(arguments: Way.allCases)
    func losingOneOfTwoIsAnnouncedDespiteMuting(way: Way) async throws {
        let (server, ada, responders) = try await watched(by: ["Ben", "Cem"])
        try await lose(responders[0], ada, way, server)
        #expect(try await server.news(of: ada) == [way.news])
    }

    @Test func quietRemovalIsAnnouncedToTheRemoverOnly() async throws {
        let (server, ada, responders) = try await watched(by: ["Ben", "Cem"])
        let ben = responders[0]
        try await server.network.contacts.removeContact(ben.id, quietly: true, by: ada.caller)
        #expect(try await server.news(of: ada) == ["Ben is no longer your contact"])
        #expect(try await server.news(of: ben) == [])
    }

    @Test func acceptedRequestIsAnnouncedDespiteMuting() async throws {
        let (server, ada, _) = try await watched(by: [])
        let ben = try await server.person("Ben")
        try await server.ask(ben, toWatchOver: ada)
        try await server.accept(.dependent, of: ada, by: ben)
        #expect(try await server.news(of: ada) == ["Ben accepted your request"])
    }

    @Test func acceptanceByAdasPhoneIsAnnouncedDespiteMuting() async throws {
        let (server, ada, _) = try await watched(by: [])
        let ben = try await server.person("Ben")
        try await server.connect(ada, watchesOver: ben)
        _ = try await server.network.contacts.changeRoles(
            of: ada.id, to: ContactRoles(isResponder: true, isDependent: true), by: ben.caller)
        #expect(try await server.news(of: ada) == [], "a request changes no responder")
        try await server.accept(.responder, of: ben, by: ada)
        #expect(try await server.news(of: ada) == ["You accepted Ben's request"])
    }

    @Test func changesOfDependentsStayMuted() async throws {
        let (server, ada, _) = try await watched(by: [])
        let ben = try await server.person("Ben")
        try await server.ask(ada, toWatchOver: ben)
        try await server.accept(.dependent, of: ben, by: ada)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func unacceptedResponderDoesNotCount() async throws {
        let (server, ada, responders) = try await watched(by: ["Ben"])
        let cem = try await server.person("Cem")
        try await server.ask(cem, toWatchOver: ada)
        try await server.network.contacts.removeContact(responders[0].id, by: ada.caller)
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.title) == ["Ben is no longer your contact", Self.lost])
        #expect(told.last?.body.contains("not accepted yet") == true)
        try await server.network.contacts.endRequest(.dependent, with: ada.id, by: cem.caller)
        #expect(
            try await server.newsItems(of: ada).map(\.body)
                == ["No one will be alerted if you miss a check-in."])
    }

    @Test func useOfTheCodeIsAnnouncedDespiteMuting() async throws {
        let (server, ada, _) = try await watched(by: [])
        let ben = try await server.person("Ben")
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        _ = try await server.network.contacts.addContact(
            code: code, roles: ContactRoles(isResponder: false, isDependent: true),
            to: ben.caller)
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.type) == [.contactAdded] && told.first?.aboutUserID == ben.id)
        #expect(told.first?.body.hasPrefix("Ben is told when you need help.") == true)
        #expect(told.first?.body.contains("remove or block") == true)
    }
}
