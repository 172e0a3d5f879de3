import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ben still has an earlier invitation's link when his relation with Ada ends.
@Suite struct EndedInvitationTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
    }

    enum Parting: CaseIterable, Sendable {
        case removedByInviter, removedByInvited, blockedByInviter, blockedByInvited, roleTakenAway
    }

    private func part(by parting: Parting) async throws {
        let network = server.network
        switch parting {
        case .removedByInviter: try await network.contacts.removeContact(ben.id, by: ada.caller)
        case .removedByInvited: try await network.contacts.removeContact(ada.id, by: ben.caller)
        case .blockedByInviter: _ = try await network.blocks.block(ben.id, by: ada.caller)
        case .blockedByInvited: _ = try await network.blocks.block(ada.id, by: ben.caller)
        case .roleTakenAway:
            let roles = try ContactRoles(isResponder: false, isDependent: true)
            _ = try await network.contacts.changeRoles(of: ben.id, to: roles, by: ada.caller)
        }
    }

    private func invite(_ person: Person, by inviter: Person) async throws -> String {
        let invitation = try await server.network.invitations.invite(
            person.name, .number(person.number), by: inviter.caller)
        let link = server.network.link(.invitation, inviter.id.uuid, invitation.id.uuid)
        return try #require(link.fragment)
    }

    private func answer(_ link: String, _ answer: InvitationAnswer) async throws -> InvitationView?
    {
        try await server.network.invitationAnswers.answerInvitation(by: link, answer)
    }

    private func confirmMail(_ address: String = "ben@example.org") async throws {
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress(address), from: "192.0.2.1", of: ben.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: ben.caller)
    }

    private func watchesOver(_ responder: Person, _ dependent: Person) async throws -> Bool {
        try await server.contact(dependent, seenBy: responder)?.isDependent == true
    }

    @Test(arguments: Parting.allCases)
    func unansweredInvitationsLinkIsInvalid(parting: Parting) async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await part(by: parting)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await server.network.invitationAnswers.invitation(by: link) == nil)
        #expect(try await !watchesOver(ben, ada))
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.pending] && listed.allSatisfy { $0.answeredAt == nil })
    }

    /// Ben changes his number after the relation's end. Ada invites guesses.
    @Test(arguments: [Parting.blockedByInviter, .blockedByInvited])
    func listRevealsNoNewNumber(parting: Parting) async throws {
        try await server.connect(ben, watchesOver: ada)
        // A person who was removed has a notification about the other, and can block them.
        try await part(by: parting == .blockedByInviter ? .removedByInvited : .removedByInviter)
        try await changeBensNumber()
        let invitations = server.network.invitations
        for guess in ["+493012345678", "+493012345679"] {
            _ = try await invitations.invite(
                "Ben", .number(PhoneNumber(guess)), by: ada.caller)
        }
        let before = try await invitations.invitations(of: ada.caller)
        try await part(by: parting)
        #expect(before.count == 2)
        #expect(try await invitations.invitations(of: ada.caller) == before)
        // A sign-up or an SMS with the number finds no invitation that it could answer.
        let number = try PhoneNumber("+493012345678")
        let open = try await server.engine.read { try $0.pendingInvitations(to: number).count }
        #expect(open == 0)
        for invitation in before {
            let again = try await invitations.invite(
                "Ben", .number(PhoneNumber(invitation.phoneNumber)), by: ada.caller)
            #expect(again == invitation)
            try await invitations.withdrawInvitation(again.id, by: ada.caller)
        }
        #expect(try await invitations.invitations(of: ada.caller).isEmpty)
    }

    /// Contacts don't see each other's addresses.
    @Test func listRevealsNoContactsMailbox() async throws {
        try await confirmMail()
        try await server.connect(ben, watchesOver: ada)
        let links = [
            try await invite(at: "ben@example.org"), try await invite(at: "b@example.org"),
        ]
        let before = try await server.network.invitations.invitations(of: ada.caller)
        try await part(by: .removedByInviter)
        #expect(before.count == 2)
        #expect(try await server.network.invitations.invitations(of: ada.caller) == before)
        #expect(try await answer(links[0], .yes(name: "Ben")) == nil)
        #expect(try await invite(at: "ben@example.org") == links[0])
        #expect(try await answer(links[0], .yes(name: "Ben"))?.state == .accepted)
    }

    /// A responder sees the alerts since the role began.
    @Test func yesToAnOldInvitationKeepsTheRolesBeginning() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        let (owner, responder) = (ada.id, ben.id)
        let before = try await server.engine.read { try $0.contact(owner, of: responder) }
        for person in [ada, ben] { _ = try await server.news(of: person) }
        server.clock.pass(.days(1))
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        let after = try await server.engine.read { try $0.contact(owner, of: responder) }
        #expect(before?.relation.dependent.isInForce == true)
        #expect(after?.relation == before?.relation)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.accepted] && listed.first?.contactID == ben.id)
        for person in [ada, ben] { #expect(try await server.news(of: person) == []) }
    }

    /// An undo only restores a relation from before, so a lock doesn't stop it.
    @Test func lockedPersonAcceptsNoInvitation() async throws {
        let administration = server.network.administration
        func lock() async throws {
            _ = try await administration.lock(ben.number.text, reason: "Spam", by: "root")
        }
        let link = try await invite(ben, by: ada)
        try await lock()
        let page = try await server.network.invitationAnswers.invitation(by: link)
        #expect(page?.state == .held)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .held)
        #expect(try await !watchesOver(ben, ada))
        _ = try await administration.unlock(ben.number.text, reason: "Settled", by: "root")
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        try await lock()
        #expect(try await answer(link, .no)?.state == .declined)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        #expect(try await watchesOver(ben, ada))
        #expect(try await answer(link, .no)?.state == .declined)
        server.clock.pass(InvitationRules.timeToUndo)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .declined)
        #expect(try await !watchesOver(ben, ada))
    }

    /// Ben became a responder by Ada's code, and his invitation is unanswered or declined.
    @Test(arguments: [true, false])
    func noEndsARoleByACode(hasDeclined: Bool) async throws {
        let link = try await invite(ben, by: ada)
        if hasDeclined { #expect(try await answer(link, .no)?.state == .declined) }
        try await server.connect(ben, watchesOver: ada)
        let page = try await server.network.invitationAnswers.invitation(by: link)
        #expect(page?.state == .accepted && page?.undoWords == nil)
        #expect(try await answer(link, .no)?.state == .declined)
        #expect(try await !watchesOver(ben, ada))
        let news = try await server.news(of: ada)
        #expect(news.contains("Ben no longer helps you") && !news.contains("Ben said no"))
        #expect(try await answer(link, .yes(name: ""))?.state == .accepted)
        #expect(try await watchesOver(ben, ada))
    }

    @Test func linkThatStopsMailEndsARoleByACode() async throws {
        try await confirmMail()
        let invitation = try await server.network.invitations.invite(
            "Ben", .address(EmailAddress("Ben+1@example.org")), by: ada.caller)
        try await server.connect(ben, watchesOver: ada)
        let token = LinkToken(owner: ada.id.uuid, subject: invitation.id.uuid)
        let link = token.text(.refusal, key: server.network.key)
        #expect(try await server.network.emailAddresses.unsubscribe(link))
        #expect(try await !watchesOver(ben, ada))
        #expect(try await server.news(of: ada).contains("Ben no longer helps you"))
    }

    /// A request puts no role in force before the invited person has answered.
    @Test func yesAnswersAnOpenRequest() async throws {
        let link = try await invite(ben, by: ada)
        try await server.ask(ben, toWatchOver: ada)
        server.clock.pass(.hours(1))
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        let (owner, responder) = (ada.id, ben.id)
        let contact = try await server.engine.read { try $0.contact(owner, of: responder) }
        #expect(contact?.relation.dependent == .inForce(since: server.clock.now))
    }

    @Test(arguments: Parting.allCases)
    func acceptedInvitationsLinkIsInvalid(parting: Parting) async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        try await part(by: parting)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await !watchesOver(ben, ada))
    }

    @Test(arguments: Parting.allCases)
    func yesAfterAnEarlierNoIsTooLate(parting: Parting) async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        try await part(by: parting)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await !watchesOver(ben, ada))
    }

    /// If it vanished, the inviter would learn of the block, and whose number it has.
    @Test(arguments: Parting.allCases)
    func declinedInvitationStaysListed(parting: Parting) async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        let invitations = server.network.invitations
        let before = try await invitations.invitations(of: ada.caller)
        server.clock.pass(.hours(1))
        try await part(by: parting)
        #expect(before.map(\.state) == [.declined])
        #expect(try await invitations.invitations(of: ada.caller) == before)
    }

    @Test func invitingAgainMakesADeclinedLinkValid() async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        try await part(by: .removedByInvited)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await invite(ben, by: ada) == link)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        #expect(try await watchesOver(ben, ada))
    }

    /// Ada has removed Ben, so his block shows her nothing else.
    @Test func blockOfAFormerContactRevealsNothing() async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        try await part(by: .removedByInviter)
        #expect(try await invite(ben, by: ada) == link)
        let invitations = server.network.invitations
        let before = try await invitations.invitations(of: ada.caller)
        try await part(by: .blockedByInvited)
        #expect(before.count == 1)
        #expect(try await invitations.invitations(of: ada.caller) == before)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await invite(ben, by: ada) == link)
        #expect(await refusal { try await answer(link, .yes(name: "Ben")) }?.field == "answer")
        #expect(try await server.network.invitationAnswers.invitation(by: link)?.state == .declined)
        #expect(try await !watchesOver(ben, ada))
    }

    @Test func anEndedRelationEndsInvitationsOfBoth() async throws {
        let link = try await invite(ada, by: ben)
        try await server.connect(ben, watchesOver: ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await answer(link, .yes(name: "Ada")) == nil)
        #expect(try await !watchesOver(ada, ben))
    }

    @Test func aBlockEndsInvitationsWithoutARelation() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        let second = try await invite(ben, by: ada)
        #expect(second == link)
        _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        #expect(try await answer(second, .yes(name: "Ben")) == nil)
    }

    /// The invited number has no account, so the block couldn't end its invitation.
    @Test(arguments: [true, false])
    func aYesFromABlockedPersonsNewNumberChangesNothing(isByInviter: Bool) async throws {
        try await server.connect(ben, watchesOver: ada)
        try await part(by: isByInviter ? .blockedByInviter : .blockedByInvited)
        let number = try PhoneNumber("+493012345678")
        let invitation = try await server.network.invitations.invite(
            "Emil", .number(number), by: ada.caller)
        let link = try #require(
            server.network.link(.invitation, ada.id.uuid, invitation.id.uuid).fragment)
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ben.caller)
        for person in [ada, ben] { _ = try await server.news(of: person) }

        #expect(await refusal { try await answer(link, .yes(name: "Ben")) }?.field == "answer")
        for person in [ada, ben] {
            #expect(try await server.network.contacts.contacts(of: person.caller).isEmpty)
            #expect(try await server.news(of: person) == [])
        }
        try await server.raiseAlert(ada)
        #expect(try await server.news(of: ben) == [])
    }

    /// A number stays blocked after the deletion of its account.
    @Test func aYesFromABlockedNumberWithoutAnAccountChangesNothing() async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        try await server.deleteAccount(ben)
        _ = try await invite(ben, by: ada)
        let link = try textedLink(to: ben.number)
        #expect(await refusal { try await answer(link, .yes(name: "Ben")) }?.field == "answer")
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func anInvitationByMailEndsInEverySpelling() async throws {
        try await confirmMail()
        let invitation = try await server.network.invitations.invite(
            "Ben", .address(EmailAddress("Ben+1@example.org")), by: ada.caller)
        let url = server.network.link(.invitation, ada.id.uuid, invitation.id.uuid)
        try await server.connect(ben, watchesOver: ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        let link = try #require(url.fragment)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
    }

    @Test func newInvitationAfterTheRemovalIsValid() async throws {
        _ = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        #expect(try await watchesOver(ben, ada))
    }

    /// The result is the same for an invitation that hasn't ended. Otherwise Ada would learn whose
    /// number it has.
    @Test(
        arguments: [true, false],
        [InvitationRules.window - .milliseconds(1), InvitationRules.window])
    func invitingAgainADayLaterBeginsTheThirtyDays(hasEnded: Bool, pause: Duration) async throws {
        let link = try await invite(ben, by: ada)
        let start = server.clock.now
        if hasEnded {
            try await server.connect(ben, watchesOver: ada)
            try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        }
        server.clock.pass(pause)
        #expect(try await invite(ben, by: ada) == link)
        let isRenewed = pause == InvitationRules.window
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.createdAt) == [isRenewed ? server.clock.now : start])
        #expect(server.environment.texts(on: ben.number).count == 1)
        server.clock.pass(InvitationRules.lifetime - .milliseconds(1))
        let view = try await answer(link, .yes(name: "Ben"))
        #expect((view?.state == .accepted) == isRenewed)
    }

    @Test func invitationsToOthersStay() async throws {
        let cleo = try await server.person("Cleo")
        let link = try await invite(cleo, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await answer(link, .yes(name: "Cleo"))?.state == .accepted)
    }

    @Test func declinedPageStillAcceptsAYes() async throws {
        let link = try await invite(ben, by: ada)
        for _ in 0..<2 {
            #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
            #expect(try await answer(link, .no)?.state == .declined)
            #expect(try await !watchesOver(ben, ada))
        }
    }

    // MARK: Former numbers and addresses

    private func changeBensNumber() async throws {
        let number = try PhoneNumber("+493012345678")
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ben.caller)
    }

    private func invite(at address: String) async throws -> String {
        let invitation = try await server.network.invitations.invite(
            "Ben", .address(EmailAddress(address)), by: ada.caller)
        #expect(invitation.contactID == nil)
        let link = server.network.link(.invitation, ada.id.uuid, invitation.id.uuid)
        return try #require(link.fragment)
    }

    /// Ben became a responder by Ada's code, and moved to another number.
    @Test(arguments: Parting.allCases)
    func formerNumbersLinkIsInvalid(parting: Parting) async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await changeBensNumber()
        try await part(by: parting)
        #expect(try await answer(link, .yes(name: "Emil")) == nil)
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.filter(\.isResponder).isEmpty)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.pending])
    }

    @Test func formerNumbersDeclinedLinkIsInvalid() async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        try await changeBensNumber()
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(try await answer(link, .yes(name: "Emil")) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    /// The invitation is older than the role, or later.
    @Test(arguments: [true, false])
    func formerAddressesLinkIsInvalid(isInvitedLater: Bool) async throws {
        try await confirmMail()
        if isInvitedLater { try await server.connect(ben, watchesOver: ada) }
        let link = try await invite(at: "Ben+1@example.org")
        if !isInvitedLater { try await server.connect(ben, watchesOver: ada) }
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.pending] && listed.first?.contactID == nil)
        try await confirmMail("ben@example.com")
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(try await answer(link, .yes(name: "Emil")) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func yesAtAFormerNumberIsTheRespondersOwn() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await changeBensNumber()
        for person in [ada, ben] { _ = try await server.news(of: person) }
        #expect(try await answer(link, .yes(name: "Emil"))?.state == .accepted)
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.map(\.id) == [ben.id])
        for person in [ada, ben] { #expect(try await server.news(of: person) == []) }
    }

    enum Departure: CaseIterable, Sendable { case newNumber, deletion }

    private func textedLink(to number: PhoneNumber) throws -> String {
        let texts = server.environment.texts(on: number)
        let text = try #require(texts.last { $0.contains("/i#") })
        return String(try #require(text.split(separator: "#").last).prefix { !$0.isWhitespace })
    }

    /// Zed, who has agreed to nothing, gets Ben's number. Ada has the former link.
    @Test(arguments: Departure.allCases, [false, true])
    func nextHolderIsNoResponderByAFormerLink(
        departure: Departure, hasDeclined: Bool
    ) async throws {
        let link = try await invite(ben, by: ada)
        if hasDeclined { #expect(try await answer(link, .no)?.state == .declined) }
        server.clock.pass(.hours(1))
        switch departure {
        case .newNumber: try await changeBensNumber()
        case .deletion: try await server.deleteAccount(ben)
        }
        let zed = try await server.signIn(ben.number, as: "Zed")
        #expect(try await answer(link, .yes(name: "Zed")) == nil)
        let invitations = server.network.invitations
        let listed = try await invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [hasDeclined ? .declined : .pending])
        for invitation in listed {
            try await invitations.withdrawInvitation(invitation.id, by: ada.caller)
        }
        server.clock.pass(.hours(1))
        // The link with the invitation's id.
        #expect(try await invite(ben, by: ada) == link)
        #expect(try await answer(link, .yes(name: "Zed")) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        let new = try textedLink(to: ben.number)
        #expect(new != link)
        #expect(try await answer(new, .yes(name: "Zed"))?.state == .accepted)
        #expect(try await watchesOver(zed, ada))
    }

    /// The sender doesn't learn that Ben has left his number.
    @Test(arguments: [true, false])
    func departureIsNotShown(hasLeft: Bool) async throws {
        let link = try await invite(ben, by: ada)
        let start = server.clock.now
        server.clock.pass(.hours(1))
        if hasLeft { try await changeBensNumber() }
        let invitations = server.network.invitations
        #expect(try await invite(ben, by: ada) == link)
        var listed = try await invitations.invitations(of: ada.caller)
        #expect(listed.map(\.createdAt) == [start] && listed.map(\.state) == [.pending])
        server.clock.pass(InvitationRules.window)
        #expect(try await invite(ben, by: ada) == link)
        listed = try await invitations.invitations(of: ada.caller)
        #expect(listed.map(\.createdAt) == [server.clock.now])
        #expect(try await (answer(link, .yes(name: "Ben")) == nil) == hasLeft)
    }

    @Test func numberOfAMovedResponderIsInvited() async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .yes(name: "Ben"))?.state == .accepted)
        server.clock.pass(.hours(1))
        try await changeBensNumber()
        #expect(try await server.network.invitationAnswers.invitation(by: link)?.state == .accepted)
        server.clock.pass(.hours(1))
        _ = try await invite(ben, by: ada)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.pending])
        #expect(try await answer(link, .no) == nil)
        let new = try textedLink(to: ben.number)
        #expect(try await answer(new, .yes(name: "Yan"))?.state == .accepted)
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(Set(contacts.map(\.name)) == ["Ben", "Yan"])
        #expect(contacts.map(\.isResponder) == [true, true])
    }

    @Test(arguments: [true, false])
    func nextHolderOfAMailboxIsNoResponderByAFormerLink(isReplaced: Bool) async throws {
        try await confirmMail()
        let link = try await invite(at: "ben@example.org")
        server.clock.pass(.hours(1))
        if isReplaced {
            try await confirmMail("ben@example.com")
        } else {
            try await server.network.emailAddresses.deleteEmailAddress(of: ben.caller)
        }
        let zed = try await server.person("Zed")
        try await server.confirmMail("Ben+1@example.org", of: zed)
        #expect(try await answer(link, .yes(name: "Zed")) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func noAtAFormerNumberKeepsTheRole() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await changeBensNumber()
        for person in [ada, ben] { _ = try await server.news(of: person) }
        _ = try await answer(link, .no)
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.map(\.id) == [ben.id])
        for person in [ada, ben] { #expect(try await server.news(of: person) == []) }
    }

    /// Ben said no, and became a responder by Ada's code on the same day.
    @Test func responderAfterANoHasNothingToUndo() async throws {
        let link = try await invite(ben, by: ada)
        #expect(try await answer(link, .no)?.state == .declined)
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let page = server.network.guestAlerts.alertLink(to: ben.id, try alert.typedID, in: .sms)
        let secret = try #require(page.fragment)
        #expect(try await server.network.guestAlerts.stoppedHelp(by: secret) == nil)
    }

    private func code(of person: Person) async throws -> String {
        try await server.network.qrCodes.qrCode(of: person.caller).id
    }

    @Test func leavingByALinkRenewsTheLeaversCode() async throws {
        let link = try await invite(ben, by: ada)
        _ = try await answer(link, .yes(name: "Ben"))
        let (bensCode, adasCode) = (try await code(of: ben), try await code(of: ada))
        #expect(try await answer(link, .no)?.state == .declined)
        #expect(try await code(of: ben) != bensCode)
        #expect(try await code(of: ada) == adasCode)
    }

    /// Ada stays Ben's responder after he stops being hers.
    @Test func leavingOneOfTwoRolesKeepsTheCode() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let before = try await code(of: ben)
        #expect(try await answer(link, .no)?.state == .declined)
        #expect(try await server.contact(ada, seenBy: ben) != nil)
        #expect(try await code(of: ben) == before)
    }

    @Test func deletedAccountLosesItsInvitation() async throws {
        let link = try await invite(ben, by: ada)
        try await server.connect(ben, watchesOver: ada)
        try await server.deleteAccount(ben)
        #expect(try await answer(link, .yes(name: "Ben")) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func roleByALinkIsAnnouncedDespiteMuting() async throws {
        for person in [ada, ben] {
            let muted = try NotificationPreferences(muted: [.contactAdded, .roleChanged])
            _ = try await server.network.notifications.setPreferences(muted, of: person.caller)
        }
        let link = try await invite(ben, by: ada)
        _ = try await answer(link, .yes(name: "Ben"))
        #expect(try await server.news(of: ada) == ["Ben accepted your request"])
        #expect(try await server.news(of: ben) == ["You accepted Ada's request"])
    }
}
