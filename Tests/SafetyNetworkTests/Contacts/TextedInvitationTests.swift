import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Invitations by SMS, and the answers to them.
@Suite struct TextedInvitationTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
    }

    private func text(_ text: String, from number: PhoneNumber) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: number)
    }

    /// Returns the number of messages that the invitation sends.
    private func invite(_ number: PhoneNumber, by inviter: Person) async throws -> Int {
        let before = server.environment.texts(on: number).count
        _ = try await server.network.invitations.invite(
            "Mia", .number(number), by: inviter.caller)
        return server.environment.texts(on: number).count - before
    }

    // MARK: Answers

    /// The server sends nothing for the second invitation, so the answer is to the first message.
    @Test func answerToARenewedInvitationGetsTheLink() async throws {
        #expect(try await invite(ben.number, by: ada) == 1)
        server.clock.pass(.days(1))
        #expect(try await invite(ben.number, by: ada) == 0)
        #expect(try await text("Yes", from: ben.number) == TextReply.openInvitation().text)
    }

    /// The message of Ada's invitation is older than Dan's alert, although she renewed it since.
    @Test func renewalLeavesTheAnswerToTheAlert() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(ben, watchesOver: dan)
        #expect(try await invite(ben.number, by: ada) == 1)
        server.clock.pass(.days(1))
        _ = try await server.raiseAlert(dan)
        #expect(try await server.send(.sms).contains("Ben"))
        server.clock.pass(.seconds(1))
        #expect(try await invite(ben.number, by: ada) == 0)
        #expect(try await text("1", from: ben.number)?.contains("Dan is being told") == true)
    }

    /// Ben withdrew his invitation, so the answer isn't to its message.
    @Test func withdrawnInvitationGetsNoAnswer() async throws {
        let mia = try await server.person("Mia")
        _ = try await invite(mia.number, by: ben)
        let invitation = try #require(
            try await server.network.invitations.invitations(of: ben.caller).first)
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ben.caller)
        #expect(try await text("Yes", from: mia.number) == TextReply.nothingOpen.text)
    }

    /// Mia has no account. She may have answered automatically.
    @Test func guestsAnswerGetsTheLinkOncePerInvitation() async throws {
        let number = try PhoneNumber("+442071838751")
        #expect(try await text("Yes", from: number) == nil)
        #expect(try await invite(number, by: ada) == 1)
        for word in ["Hello?", "OK"] { #expect(try await text(word, from: number) == nil) }
        #expect(try await text("Yes", from: number) == TextReply.openInvitation().text)
        for word in ["Yes", "No"] { #expect(try await text(word, from: number) == nil) }
        server.clock.pass(.seconds(1))
        #expect(try await invite(number, by: ben) == 0)
        #expect(try await text("No", from: number) == nil)
    }

    @Test func guestsAnswerAfterAStopGetsNoReply() async throws {
        let number = try PhoneNumber("+442071838751")
        #expect(try await invite(number, by: ada) == 1)
        #expect(try await text("STOP", from: number) == nil)
        server.clock.pass(.days(1))
        #expect(try await invite(number, by: ada) == 0)
        #expect(try await text("Yes", from: number) == nil)
    }

    @Test func replyToAGuestIsCharged() async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.budgets.sms = Budget(total: 10, perUser: 1)
        })
        let ada = try await server.person("Ada")
        let number = try PhoneNumber("+442071838751")
        _ = try await server.network.invitations.invite("Mia", .number(number), by: ada.caller)
        #expect(try await server.network.textAnswers.receiveText("1", from: number) == nil)
    }

    // MARK: STOP

    enum Departure: CaseIterable, Sendable { case deletion, newNumber }

    /// Ben no longer has his number when Ada invites it.
    private func leave(by departure: Departure) async throws {
        switch departure {
        case .deletion: try await server.deleteAccount(ben)
        case .newNumber: try await move(ben, to: try PhoneNumber("+442071838750"))
        }
    }

    private func move(_ person: Person, to number: PhoneNumber) async throws {
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: person.caller)
    }

    enum Holder: CaseIterable, Sendable { case ben, zed, benAfterZed }

    /// Ben said no and left his number. Ada deletes the invitation and invites the number again.
    @Test(arguments: Holder.allCases)
    func returnToANumberGetsNoSecondMessage(holder: Holder) async throws {
        #expect(try await invite(ben.number, by: ada) == 1)
        let network = server.network
        let listed = try await network.invitations.invitations(of: ada.caller)
        let invitation = try #require(listed.first)
        let link = network.link(.invitation, ada.id.uuid, invitation.id.uuid)
        let secret = try #require(link.fragment)
        let view = try await network.invitationAnswers.answerInvitation(by: secret, .no)
        #expect(view?.state == .declined)
        server.clock.pass(.hours(1))
        try await leave(by: .newNumber)
        server.clock.pass(.hours(1))
        if holder != .ben {
            let zed = try await server.signIn(ben.number, as: "Zed")
            server.clock.pass(.hours(1))
            if holder == .benAfterZed {
                try await move(zed, to: try PhoneNumber("+442071838752"))
                server.clock.pass(.hours(1))
            }
        }
        if holder != .zed { try await move(ben, to: ben.number) }
        try await network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        #expect(try await invite(ben.number, by: ada) == (holder == .zed ? 1 : 0))
    }

    @Test(arguments: Departure.allCases)
    func stopStaysWithAFormerNumber(departure: Departure) async throws {
        #expect(try await text("STOP", from: ben.number) == nil)
        try await leave(by: departure)
        #expect(try await invite(ben.number, by: ada) == 0)
        #expect(try await text("START", from: ben.number) == nil)
        let cleo = try await server.person("Cleo")
        #expect(try await invite(ben.number, by: cleo) == 1)
    }

    @Test(arguments: Departure.allCases)
    func formerNumberWithoutAStopIsInvited(departure: Departure) async throws {
        try await leave(by: departure)
        #expect(try await invite(ben.number, by: ada) == 1)
    }

    /// The next holder of the number didn't get the invitation.
    @Test(arguments: Departure.allCases)
    func formerHoldersInvitationGetsNoAnswer(departure: Departure) async throws {
        #expect(try await invite(ben.number, by: ada) == 1)
        server.clock.pass(.hours(1))
        try await leave(by: departure)
        #expect(try await text("Yes", from: ben.number) == nil)
        let cleo = try await server.person("Cleo")
        #expect(try await invite(ben.number, by: cleo) == 1)
        #expect(try await text("Yes", from: ben.number) == TextReply.openInvitation().text)
    }

    @Test func startOfAUserForgetsAnEarlierStop() async throws {
        let number = try PhoneNumber("+442071838751")
        #expect(try await text("STOP", from: number) == nil)
        let mia = try await server.signIn(number, as: "Mia")
        #expect(try await text("START", from: number) == nil)
        try await server.deleteAccount(mia)
        #expect(try await invite(number, by: ada) == 1)
    }

    /// The number had a message before its STOP. The provider reports later that it was lost.
    @Test func stopHoldsAfterALostMessage() async throws {
        let number = try PhoneNumber("+442071838751")
        #expect(try await invite(number, by: ada) == 1)
        #expect(try await text("STOP", from: number) == nil)
        await server.environment.failInvitations()
        #expect(try await invite(number, by: ben) == 0)
    }
}
