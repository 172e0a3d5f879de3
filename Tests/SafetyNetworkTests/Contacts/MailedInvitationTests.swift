import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada invites Mia, a person without an account, by e-mail.
@Suite struct MailedInvitationTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.person("Ada")
    }

    private static let address = "mia@example.org"

    @discardableResult
    private func invite(
        _ address: String = address, by person: Person? = nil
    ) async throws -> Invitation {
        try await server.network.invitations.invite(
            "Mia", .address(try EmailAddress(address)), by: (person ?? ada).caller)
    }

    private var mails: [SentInvitation] { server.environment.invitations }

    private func secret(_ mail: SentInvitation? = nil) throws -> String {
        let text = try #require(mail ?? mails.first).text
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        return String(fragment.prefix { !$0.isWhitespace })
    }

    private func answer(_ answer: InvitationAnswer) async throws -> InvitationView? {
        try await server.network.invitationAnswers.answerInvitation(by: try secret(), answer)
    }

    private func user(_ address: String = address) async throws -> UserRow? {
        let address = try EmailAddress(address)
        return try await server.engine.read { try $0.user(emailAddress: address) }
    }

    private func confirm(_ address: String, of person: Person) async throws {
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress(address), from: "192.0.2.1", of: person.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(
            code: code, of: person.caller)
    }

    /// Ben said no and removed his address. He or Cleo confirms it later.
    @Test(arguments: [true, false])
    func returnToAMailboxGetsNoSecondMessage(comesBack: Bool) async throws {
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        try await confirm(Self.address, of: ben)
        let invitation = try await invite()
        #expect(try await answer(.no)?.state == .declined && mails.count == 1)
        server.clock.pass(.hours(1))
        try await server.network.emailAddresses.deleteEmailAddress(of: ben.caller)
        server.clock.pass(.hours(1))
        try await confirm(Self.address, of: comesBack ? ben : cleo)
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        try await invite()
        #expect(mails.count == (comesBack ? 1 : 2))
    }

    /// Ada invites the address of her responder Ben, who then confirms another one.
    @Test func yesAtAFormerAddressIsTheRespondersOwn() async throws {
        let ben = try await server.person("Ben")
        try await confirm(Self.address, of: ben)
        try await server.connect(ben, watchesOver: ada)
        let invitation = try await invite("Mia+1@example.org")
        let link = server.network.link(.invitation, ada.id.uuid, invitation.id.uuid)
        let secret = try #require(link.fragment)
        server.clock.pass(.hours(1))
        try await confirm("ben@example.com", of: ben)
        let view = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
        #expect(view?.state == .accepted)
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.map(\.id) == [ben.id])
    }

    /// An invitation's id comes from the server's key.
    @Test func invitationOfAForgottenKeyIsSentOnceMore() async throws {
        try await server.network.serverLife.wake()
        let first = try await invite()
        let declined = try await invite("leo@example.org")
        let refused = try secret(mails.last)
        _ = try await server.network.invitationAnswers.answerInvitation(by: refused, .no)
        _ = try await server.network.keyRotation.rotate(
            to: Data(repeating: 9, count: 32), from: server.network.key.fingerprint,
            reason: "Theft", by: "root")
        server.clock.pass(KeyRotation.patience)
        try await server.network.keyRotation.renew()
        #expect(try await invite().id == first.id && mails.count == 2)
        _ = try await server.network.keyRotation.forget(reason: "Theft", by: "root")
        #expect(try await answer(.yes(name: "Mia")) == nil)

        let second = try await invite("Mia@example.org")
        #expect(second.id != first.id && mails.count == 3)
        #expect(try await invite().id == second.id && mails.count == 3)
        #expect(try await invite("leo@example.org").id == declined.id && mails.count == 3)
        let view = try await server.network.invitationAnswers.answerInvitation(
            by: try secret(mails.last), .yes(name: "Mia"))
        #expect(view?.state == .accepted)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.declined, .accepted])
    }

    /// Whether a message was sent must not be seen from the answer: it would reveal a block.
    @Test func renewedInvitationLooksTheSameWithoutAMessage() async throws {
        // The renewal of keys refuses the bystanders' numbers.
        let server = try TestServer(
            hasBystanders: false, options: { $0.isEmailAvailable = true })
        try await server.network.serverLife.wake()
        let ada = try await server.person("Ada")
        func invite(_ address: String) async throws -> Invitation {
            try await server.network.invitations.invite(
                "Mia", .address(try EmailAddress(address)), by: ada.caller)
        }
        let ben = try await server.person("Ben")
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("ben@example.org"), from: "192.0.2.1", of: ben.caller)
        _ = try await server.network.emailAddresses.confirmEmailAddress(
            code: try #require(server.environment.emails.last?.code), of: ben.caller)
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        let first = [try await invite(Self.address), try await invite("ben@example.org")]
        _ = try await server.network.keyRotation.rotate(
            to: Data(repeating: 9, count: 32), from: server.network.key.fingerprint,
            reason: "Theft", by: "root")
        server.clock.pass(KeyRotation.patience)
        try await server.network.keyRotation.renew()
        _ = try await server.network.keyRotation.forget(reason: "Theft", by: "root")
        let count = server.environment.invitations.count
        let second = [try await invite(Self.address), try await invite("ben@example.org")]
        #expect(server.environment.invitations.count == count + 1)
        for (old, new) in zip(first, second) {
            #expect(new.id != old.id && new.createdAt == server.clock.now)
        }
        #expect(
            try await server.network.invitations.invitations(of: ada.caller).count == 2)
    }

    @Test func otherSpellingsRespectABlock() async throws {
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for (person, name) in [(ben, "ben"), (cleo, "cleo")] {
            try await confirm("\(name)@example.org", of: person)
            try await server.connect(person, watchesOver: ada)
        }
        _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        for address in ["ben@example.org", "ben+1@example.org", "BEN+2@example.org"] {
            try await invite(address)
        }
        #expect(mails.isEmpty)
        try await invite("cleo+1@example.org")
        #expect(mails.map(\.address) == ["cleo+1@example.org"])
    }

    @Test func aYesMakesAResponderWithoutANumber() async throws {
        let invitation = try await invite()
        #expect(invitation.phoneNumber.isEmpty && invitation.emailAddress == Self.address)
        #expect(mails.map(\.address) == [Self.address])
        #expect(try await answer(.yes(name: "Mia Moe"))?.state == .accepted)
        let contact = try #require(try await server.network.contacts.contacts(of: ada.caller).first)
        #expect(contact.name == "Mia Moe" && contact.isResponder && contact.phoneNumber == nil)
        #expect(contact.isByMail && contact.reachability != nil)
        let guest = try #require(try await user())
        #expect(guest.phoneNumber == nil && guest.guestSince != nil)
        let status = try await server.engine.read { try $0.emailStatus(of: guest.id) }
        #expect(status.address == Self.address && status.verifiedAt == server.clock.now)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.recipient) == [Self.address])
        #expect(listed.map(\.contactID) == [guest.id])
    }

    @Test func guestWithoutANumberGetsNoSMSOrCalls() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let alert = try await server.raiseAlert(ada)
        let guest = try #require(try await user())
        let channels = try await server.engine.read { connection -> [String] in
            try connection.query(
                "SELECT channel FROM deliveries WHERE user_id = $1 AND alert_id = $2",
                [.id(guest.id), .id(try alert.typedID)]
            ) { try $0["channel"] as String }
        }
        #expect(Set(channels).isDisjoint(with: ["sms", "voice"]))
        #expect(channels.contains("email"))
        #expect(try await server.send(.email).contains("Mia"))
    }

    @Test func pressOnTheMailedPageProvesTheMailbox() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let alert = try await server.raiseAlert(ada)
        _ = try await server.send(.email)
        let guest = try #require(try await user())
        let link = server.network.guestAlerts.alertLink(to: guest.id, try alert.typedID, in: .email)
        let secret = try #require(link.fragment)
        func proofs() async throws -> [String] {
            try await server.engine.read {
                try $0.query(
                    "SELECT channel FROM proofs WHERE user_id = $1", [.id(guest.id)]
                ) { try $0["channel"] as String }
            }
        }
        #expect(try await server.network.guestAlerts.guestAlert(by: secret)?.name == "Ada")
        #expect(try await proofs().isEmpty)
        #expect(try await server.network.guestAlerts.answerAlert(by: secret, .onIt)?.helper == .you)
        #expect(try await proofs() == ["email"])
        #expect(try await server.news(of: ada).contains("Mia is on it"))
    }

    @Test func theOtherSpellingIsTheSameMailbox() async throws {
        try await invite()
        let same = try await invite("MIA+1@example.org")
        #expect(same.emailAddress == Self.address && mails.count == 1)
        let ben = try await server.person("Ben")
        try await invite("Mia+2@example.org", by: ben)
        server.clock.pass(.days(100))
        let cleo = try await server.person("Cleo")
        try await invite(by: cleo)
        #expect(mails.count == 1)
    }

    @Test func codesAndInvitationsShareMailboxLimits() async throws {
        try await invite()
        let ben = try await server.person("Ben")
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress(Self.address), from: "192.0.2.1", of: ben.caller)
        #expect(server.environment.emails.isEmpty)
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("zoe@example.org"), from: "192.0.2.1", of: ben.caller)
        #expect(server.environment.emails.count == 1)
        try await invite("zoe@example.org")
        #expect(mails.count == 1)
    }

    @Test func anAccountLooksLikeAnyAddress() async throws {
        let cleo = try await server.person("Cleo")
        try await confirm("cleo@example.org", of: cleo)
        try await server.connect(cleo, watchesOver: ada)
        let known = try await invite("cleo@example.org")
        let unknown = try await invite()
        #expect(known.state == unknown.state && known.contactID == nil)
        let mail = try #require(mails.first)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: try secret(mail), .yes(name: "Other"))
        let contact = try #require(try await server.network.contacts.contacts(of: ada.caller).first)
        #expect(contact.id == cleo.id && contact.name == "Cleo" && contact.phoneNumber != nil)
    }

    @Test func totalMailLimitAppliesToAccounts() async throws {
        let server = try TestServer(options: {
            $0.isEmailAvailable = true
            $0.emailCodeLimits.inAll = 1
        })
        let ada = try await server.person("Ada")
        let cleo = try await server.person("Cleo")
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("cleo@example.org"), from: "192.0.2.1", of: cleo.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: cleo.caller)
        for text in ["cleo@example.org", Self.address] {
            let address = try EmailAddress(text)
            let refused = await refusal {
                _ = try await server.network.invitations.invite(
                    "Mia", .address(address), by: ada.caller)
            }
            #expect(refused != nil, "\(text)")
        }
    }

    @Test func unsubscribeLinkOnlyDeclines() async throws {
        try await invite()
        let refusal = try #require(mails.first?.refusal)
        #expect(try await server.network.invitationAnswers.invitation(by: refusal) == nil)
        #expect(try await server.network.emailAddresses.unsubscribe(refusal))
        #expect(
            try await server.network.invitations.invitations(of: ada.caller).map(\.state) == [
                .declined
            ])
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    @Test func guestWithADeadMailboxIsRemoved() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let guest = try #require(try await user()).id
        let retention = Retention(server.network)
        func cleanUp() async throws {
            while try await retention.pass() < server.clock.now.adding(.minutes(1)) {}
        }
        try await cleanUp()
        #expect(try await server.network.contacts.contacts(of: ada.caller).count == 1)
        _ = try await server.engine.write(about: Subjects([guest])) {
            try $0.deleteEmailAddress(of: guest)
        }
        try await cleanUp()
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        #expect(try await server.news(of: ada).contains("Mia no longer helps you"))
    }

    @Test func undeliveredMailDoesNotCount() async throws {
        let invitation = try await invite()
        await server.environment.failInvitations()
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        try await invite()
        #expect(mails.count == 2)
    }

    @Test func aServerWithoutMailRefuses() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let address = try EmailAddress(Self.address)
        let refused = await refusal {
            _ = try await server.network.invitations.invite(
                "Mia", .address(address), by: ada.caller)
        }
        #expect(refused != nil)
    }

    @Test func ownAddressIsRefused() async throws {
        try await confirm("ada@example.org", of: ada)
        #expect(await refusal { try await invite("Ada@example.org") }?.field == "emailAddress")
        #expect(mails.isEmpty)
    }
}
