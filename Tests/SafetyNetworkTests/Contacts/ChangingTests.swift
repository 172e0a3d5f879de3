import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ChangingTests {
    private func change(
        _ server: TestServer, _ other: Person, responder: Bool, dependent: Bool, by person: Person
    ) async throws -> ContactData {
        try await server.network.contacts.changeRoles(
            of: other.id, to: ContactRoles(isResponder: responder, isDependent: dependent),
            by: person.caller)
    }

    @Test func eachSideGetsItsOwnText() async throws {
        let server = try TestServer()
        let (cem, ben) = (try await server.person("Cem"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: cem, mutually: true)
        let changed = try await change(server, cem, responder: true, dependent: false, by: ben)
        #expect(changed.isResponder && !changed.isDependent && changed.watch == nil)
        #expect(
            try await server.newsItems(of: cem).first?.body
                == "Ben is no longer told when you need help. You are told when Ben needs help.")
        #expect(
            try await server.newsItems(of: ben).map(\.body) == [
                "You are no longer told when Cem needs help. Cem is told when you need help."
            ])
        #expect(try await server.contact(ben, seenBy: cem)?.isDependent == true)
    }

    /// Ada asks to watch over Ben, and ends his role later or in the same change.
    @Test(arguments: [true, false], [true, false])
    func requestDoesntHideALostRole(asksBefore: Bool, duringAlert: Bool) async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        if duringAlert {
            _ = try await server.acknowledge(try await server.raiseAlert(ada), ben)
        }
        if asksBefore {
            _ = try await change(server, ben, responder: true, dependent: true, by: ada)
            let asked = try await server.newsItems(of: ben).filter { $0.type == .roleChanged }
            #expect(asked.map(\.title) == ["Ada asks you"])
            #expect(
                asked.map(\.body) == [
                    "You are told when Ada needs help. Ada asks to be your responder."
                ])
        }
        for person in [ada, ben] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        _ = try await change(server, ben, responder: false, dependent: true, by: ada)
        let told = try await server.newsItems(of: ben).filter { $0.type == .roleChanged }
        #expect(told.map(\.title) == ["Roles changed with Ada"])
        #expect(
            told.map(\.body) == [
                "You are no longer told when Ada needs help. Ada asks to be your responder."
            ])
        let own = try await server.newsItems(of: ada).filter { $0.type == .roleChanged }
        #expect(
            own.map(\.body) == [
                "Ben is no longer told when you need help. You asked to be Ben's responder."
            ])
    }

    @Test func unchangedRolesAreNoNews() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await change(server, ada, responder: false, dependent: true, by: ben)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func atLeastOneRoleRemains() {
        #expect(throws: CommandError.self) {
            try ContactRoles(isResponder: false, isDependent: false)
        }
    }

    @Test func onlyPingsAgainstTheNewRolesAreCleared() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let (bens, adas) = (
            try await server.ping(ada, by: ben), try await server.ping(ben, by: ada)
        )
        for person in [ada, ben] { _ = try await server.news(of: person) }
        _ = try await change(server, ben, responder: false, dependent: true, by: ada)
        let pings = try await server.network.pings.pings(of: ada.caller, page: Page())
        #expect(pings.first { $0.id == bens.id }?.state == .cleared)
        #expect(pings.first { $0.id == adas.id }?.state == .pending)
        for person in [ada, ben] {
            let news = try await server.news(of: person)
            let loss = person.id == ada.id ? [ProtectionTests.lost] : []
            #expect(
                news == [
                    "Ping cleared", "Roles changed with \(person.id == ada.id ? "Ben" : "Ada")",
                ] + loss)
        }
    }

    enum Side: CaseIterable, Sendable { case ada, ben }

    @Test(arguments: Side.allCases)
    func eitherSideEndsARoleAtOnce(side: Side) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        switch side {
        case .ada: _ = try await change(server, ben, responder: false, dependent: true, by: ada)
        case .ben: _ = try await change(server, ada, responder: true, dependent: false, by: ben)
        }
        let (seen, own) = (
            try await server.contact(ben, seenBy: ada), try await server.contact(ada, seenBy: ben)
        )
        #expect(seen?.isResponder == false && seen?.isDependent == true && seen?.requests == [])
        #expect(own?.isDependent == false && own?.isResponder == true && own?.requests == [])
        _ = try await server.news(of: ben)
        try await server.raiseAlert(ada)
        #expect(try await server.news(of: ben) == [])
    }

    @Test(arguments: Side.allCases)
    func removalEndsBothSidesAndClearsPings(by side: Side) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let pings = [try await server.ping(ada, by: ben), try await server.ping(ben, by: ada)]
        for person in [ada, ben] { _ = try await server.news(of: person) }

        let (remover, removed) = side == .ada ? (ada, ben) : (ben, ada)
        try await server.network.contacts.removeContact(removed.id, by: remover.caller)
        for (person, other) in [(ada, ben), (ben, ada)] {
            #expect(try await server.network.contacts.contacts(of: person.caller).isEmpty)
            #expect(
                try await server.network.pings.pings(of: person.caller, page: Page()).map(\.state)
                    == [
                        .cleared, .cleared,
                    ])
            let news = try await server.news(of: person).filter { $0 != "Ping cleared" }
            #expect(
                news == ["\(other.name) is no longer your contact", "You have no responders now"])
            #expect(
                try await server.events(of: person).contains(
                    .contactRemoved(.init(contactID: other.id))))
        }
        #expect(
            try await server.network.pings.respond(to: pings[0].id, by: ada.caller).state
                == .cleared)
        #expect(
            await refusal {
                try await server.network.contacts.removeContact(removed.id, by: remover.caller)
            }?
            .isNotFound == true)
        try await server.connect(ben, watchesOver: ada)
    }

    /// Guests use no app, so they can't accept a request.
    @Test func guestGetsNoRequest() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let mia = try await server.guest("Mia", try PhoneNumber("+442071838750"), of: ada)
        let contacts = server.network.contacts
        for isResponder in [true, false] {
            let roles = try ContactRoles(isResponder: isResponder, isDependent: true)
            let refused = await refusal {
                try await contacts.changeRoles(of: mia.id, to: roles, by: ada.caller)
            }
            #expect(refused?.field == "isDependent" && refused?.reason == .guestContact)
        }
        let contact = try await contacts.contacts(of: ada.caller).first
        #expect(contact?.isResponder == true && contact?.requests.isEmpty == true)
        #expect(contact?.isGuest == true)
        try await contacts.removeContact(mia.id, by: ada.caller)
        #expect(try await contacts.contacts(of: ada.caller).isEmpty)
    }

    /// Mia has signed up since.
    @Test func formerGuestGetsARequest() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let number = try PhoneNumber("+442071838750")
        let mia = try await server.guest("Mia", number, of: ada)
        _ = try await server.signIn(number, as: "Mia")
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let contact = try await server.network.contacts.changeRoles(
            of: mia.id, to: roles, by: ada.caller)
        #expect(contact.requests.map(\.role) == [.dependent])
    }

    @Test func aStrangersRelationCannotBeTouched() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.person("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        try await server.connect(ben, watchesOver: ada)
        #expect(
            await refusal {
                try await server.network.contacts.removeContact(ada.id, by: cleo.caller)
            }?
            .isNotFound == true)
        #expect(
            await refusal {
                try await change(server, ada, responder: true, dependent: true, by: cleo)
            }?.isNotFound == true)
        #expect(
            await refusal {
                try await server.network.contacts.removeContact(
                    server.environment.id(), by: cleo.caller)
            }?.isNotFound == true)
        #expect(try await server.contact(ada, seenBy: ben) != nil)
    }
}
