import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Mia is a responder without an account. Her name and number are deleted 30 days after her last
/// relation ends.
@Suite struct LoneGuestTests {
    private let server: TestServer
    private let ada: Person
    private let mia: PhoneNumber
    private let secret: String

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        ada = try await server.person("Ada")
        mia = try PhoneNumber("+442071838750")
        _ = try await server.network.invitations.invite("Mia", .number(mia), by: ada.caller)
        let text = try #require(server.environment.texts(on: mia).last)
        let fragment = try #require(text.split(separator: "#").last)
        secret = String(fragment.prefix { !$0.isWhitespace })
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
    }

    private func guest() async throws -> UserRow? {
        let number = mia
        return try await server.engine.read { try $0.user(phoneNumber: number) }
    }

    private func cleanUp() async throws {
        _ = try await server.engine.write(about: .none) { try $0.cleanUp(.guests, limit: 100) }
    }

    private func remove() async throws {
        let guest = try #require(try await guest())
        try await server.network.contacts.removeContact(guest.id, by: ada.caller)
        try await cleanUp()
    }

    @Test func guestIsDeleted30DaysAfterTheLastRelation() async throws {
        server.clock.pass(.days(100))
        try await cleanUp()
        #expect(try await guest() != nil)
        try await remove()
        server.clock.pass(.days(30) - .milliseconds(1))
        try await cleanUp()
        #expect(try await guest()?.name == "Mia")
        server.clock.pass(.milliseconds(1))
        try await cleanUp()
        #expect(try await guest() == nil)
        // Mia's "yes" was deleted with her, so no second message follows.
        let ben = try await server.person("Ben")
        for person in [ada, ben] {
            _ = try await server.network.invitations.invite("Mia", .number(mia), by: person.caller)
        }
        #expect(server.environment.texts(on: mia).count == 1)
    }

    @Test func guestWithANewRelationStays() async throws {
        try await remove()
        server.clock.pass(.days(29))
        let ben = try await server.person("Ben")
        _ = try await server.network.invitations.invite("Mia", .number(mia), by: ben.caller)
        let text = try #require(server.environment.texts(on: mia).last)
        let fragment = try #require(text.split(separator: "#").last)
        let secret = String(fragment.prefix { !$0.isWhitespace })
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
        server.clock.pass(.days(2))
        try await cleanUp()
        #expect(try await guest() != nil)
        // The end of Ben's relation with Mia restarts the time until the deletion.
        let guest = try #require(try await guest())
        try await server.network.contacts.removeContact(guest.id, by: ben.caller)
        try await cleanUp()
        server.clock.pass(.days(29))
        try await cleanUp()
        #expect(try await self.guest() != nil)
        server.clock.pass(.days(1))
        try await cleanUp()
        #expect(try await self.guest() == nil)
    }

    @Test func invitedGuestStays() async throws {
        try await remove()
        server.clock.pass(.days(29))
        let ben = try await server.person("Ben")
        _ = try await server.network.invitations.invite("Mia", .number(mia), by: ben.caller)
        server.clock.pass(.days(2))
        try await cleanUp()
        #expect(try await guest() != nil)
        server.clock.pass(.days(28))
        try await cleanUp()
        #expect(try await guest() == nil)
    }

    @Test func mailedGuestIsDeletedWithTheAddress() async throws {
        let address = try EmailAddress("mia@example.org")
        func found() async throws -> UserRow? {
            try await server.engine.read { try $0.user(emailAddress: address) }
        }
        _ = try await server.network.invitations.invite("Mia", .address(address), by: ada.caller)
        let mail = try #require(server.environment.invitations.last).text
        let secret = String(
            try #require(mail.split(separator: "#").last).prefix { !$0.isWhitespace })
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
        let guest = try #require(try await found())
        try await server.network.contacts.removeContact(guest.id, by: ada.caller)
        try await cleanUp()
        server.clock.pass(.days(1))
        let ben = try await server.person("Ben")
        _ = try await server.network.invitations.invite("Mia", .address(address), by: ben.caller)
        server.clock.pass(.days(29))
        try await cleanUp()
        #expect(try await found() != nil)
        server.clock.pass(.days(1))
        try await cleanUp()
        #expect(try await found() == nil)
    }

    @Test func anAccountStays() async throws {
        try await remove()
        _ = try await server.signIn(mia, as: "Mia")
        server.clock.pass(.days(60))
        try await cleanUp()
        #expect(try await guest()?.guestSince == nil)
        #expect(try await guest() != nil)
    }
}
