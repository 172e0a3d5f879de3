import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ChangingTests {
    private func change(
        _ town: Town, _ other: Person, responder: Bool, dependent: Bool, by person: Person
    ) async throws -> ContactData {
        try await town.network.changeRoles(
            of: other.id, to: ContactRoles(isResponder: responder, isDependent: dependent),
            by: person.caller)
    }

    @Test func bothSidesAreToldEachInTheirOwnWords() async throws {
        let town = try Town()
        let (cem, ben) = (try await town.person("Cem"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: cem, mutually: true)
        let changed = try await change(town, cem, responder: true, dependent: false, by: ben)
        #expect(changed.isResponder && !changed.isDependent && changed.watch == nil)
        #expect(
            try await town.newsItems(of: cem).first?.body == "You are told when Ben needs help.")
        #expect(
            try await town.newsItems(of: ben).map(\.body) == ["Cem is told when you need help."])
        #expect(try await town.contact(ben, seenBy: cem)?.isDependent == true)
    }

    @Test func theSameRolesAreNoNews() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        _ = try await change(town, ada, responder: false, dependent: true, by: ben)
        #expect(try await town.news(of: ada) == [])
    }

    @Test func atLeastOneRoleRemains() {
        #expect(throws: CommandError.self) {
            try ContactRoles(isResponder: false, isDependent: false)
        }
    }

    @Test func aPingThatBreaksTheNewRolesIsClearedAndTheOtherStays() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada, mutually: true)
        let (bens, adas) = (try await town.ping(ada, by: ben), try await town.ping(ben, by: ada))
        for person in [ada, ben] { _ = try await town.news(of: person) }
        _ = try await change(town, ben, responder: false, dependent: true, by: ada)
        let pings = try await town.network.pings(of: ada.caller, page: Page())
        #expect(pings.first { $0.id == bens.id }?.state == .cleared)
        #expect(pings.first { $0.id == adas.id }?.state == .pending)
        for person in [ada, ben] {
            let news = try await town.news(of: person)
            let loss = person.id == ada.id ? [ProtectionTests.lost] : []
            #expect(
                news == [
                    "Ping cleared", "Roles changed with \(person.id == ada.id ? "Ben" : "Ada")",
                ] + loss)
        }
    }

    enum Side: CaseIterable, Sendable { case ada, ben }

    @Test(arguments: Side.allCases)
    func aRemovalEndsTheRelationForBothAndClearsPings(by side: Side) async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada, mutually: true)
        let pings = [try await town.ping(ada, by: ben), try await town.ping(ben, by: ada)]
        for person in [ada, ben] { _ = try await town.news(of: person) }

        let (remover, removed) = side == .ada ? (ada, ben) : (ben, ada)
        try await town.network.removeContact(removed.id, by: remover.caller)
        for (person, other) in [(ada, ben), (ben, ada)] {
            #expect(try await town.network.contacts(of: person.caller).isEmpty)
            #expect(
                try await town.network.pings(of: person.caller, page: Page()).map(\.state) == [
                    .cleared, .cleared,
                ])
            let news = try await town.news(of: person).filter { $0 != "Ping cleared" }
            #expect(
                news == ["\(other.name) is no longer your contact", "You have no responders now"])
            #expect(
                try await town.events(of: person).contains(
                    .contactRemoved(.init(contactID: other.id))))
        }
        #expect(try await town.network.respond(to: pings[0].id, by: ada.caller).state == .cleared)
        #expect(
            await refusal { try await town.network.removeContact(removed.id, by: remover.caller) }?
                .isNotFound == true)
        try await town.connect(ben, watchesOver: ada)
    }

    @Test func aStrangersRelationCannotBeTouched() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.person("Ada"), try await town.person("Ben"),
            try await town.person("Cleo")
        )
        try await town.connect(ben, watchesOver: ada)
        #expect(
            await refusal { try await town.network.removeContact(ada.id, by: cleo.caller) }?
                .isNotFound == true)
        #expect(
            await refusal {
                try await change(town, ada, responder: true, dependent: true, by: cleo)
            }?.isNotFound == true)
        #expect(
            await refusal {
                try await town.network.removeContact(town.world.id(), by: cleo.caller)
            }?.isNotFound == true)
        #expect(try await town.contact(ada, seenBy: ben) != nil)
    }
}
