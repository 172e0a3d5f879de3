import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada invites Mia, a person without an account.
@Suite struct InvitationTests {
    private let server: TestServer
    private let ada: Person
    private let mia: PhoneNumber

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        mia = try PhoneNumber("+442071838750")
    }

    @discardableResult
    private func invite(
        _ number: PhoneNumber? = nil, by person: Person? = nil, name: String = "Mia"
    ) async throws -> Invitation {
        try await server.network.invitations.invite(
            name, .number(number ?? mia), by: (person ?? ada).caller)
    }

    private var texts: [String] { server.environment.texts(on: mia) }

    /// Returns the secret in a message's link.
    private func secret(_ text: String? = nil) throws -> String {
        let text = try #require(text ?? texts.first)
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        return String(fragment.prefix { !$0.isWhitespace })
    }

    private func answer(_ answer: InvitationAnswer) async throws -> InvitationView? {
        try await server.network.invitationAnswers.answerInvitation(by: try secret(), answer)
    }

    private func guest() async throws -> UserRow {
        let number = mia
        return try #require(try await server.engine.read { try $0.user(phoneNumber: number) })
    }

    @Test func aYesMakesAResponder() async throws {
        let invitation = try await invite()
        #expect(invitation.state == .pending && texts.count == 1)
        #expect(
            try await server.network.invitationAnswers.invitation(by: try secret())?.state
                == .pending)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        #expect(try await answer(.yes(name: "Mia Moe"))?.state == .accepted)
        let contact = try #require(try await server.network.contacts.contacts(of: ada.caller).first)
        #expect(contact.name == "Mia Moe" && contact.isResponder && !contact.isDependent)
        let listed = try await server.network.invitations.invitations(of: ada.caller)
        #expect(listed.map(\.state) == [.accepted] && listed.first?.contactID == contact.id)
        #expect(try await answer(.yes(name: "Other"))?.state == .accepted)
        #expect(
            try await server.network.contacts.contacts(of: ada.caller).map(\.name) == ["Mia Moe"])
    }

    /// Ben's acts could otherwise look like the guest's.
    @Test(arguments: ["Ben", "BEN", "B\u{E9}n", "Ada"])
    func guestGetsNoNameOfAnotherResponder(name: String) async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        try await invite()
        #expect(try await answer(.yes(name: name))?.state == .accepted)
        #expect(try await guest().name == "Mia")
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.map(\.name).sorted() == ["Ben", "Mia"])
    }

    /// Ada's guest is called Cleo, like a responder of Ben, who invites the guest as "Mum".
    private func cleosNamesake() async throws -> Person {
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        try await server.connect(cleo, watchesOver: ben)
        try await invite()
        _ = try await answer(.yes(name: "Cleo"))
        server.clock.pass(.hours(1))
        try await invite(by: ben, name: "Mum")
        return ben
    }

    private func answerLast(_ answer: InvitationAnswer) async throws -> InvitationView? {
        try await server.network.invitationAnswers.answerInvitation(
            by: try secret(texts.last), answer)
    }

    private func names(_ person: Person) async throws -> [String] {
        try await server.network.contacts.contacts(of: person.caller).map(\.name).sorted()
    }

    @Test(arguments: [("Mum", "Mum"), ("Cleo", "Mum"), ("", "Mum"), ("Mia Moe", "Mia Moe")])
    func knownGuestTakesANameOfTheirOwn(entered: String, name: String) async throws {
        let ben = try await cleosNamesake()
        let view = try await server.network.invitationAnswers.invitation(
            by: try secret(texts.last))
        #expect(view?.guestName == nil && view?.renamesGuest == true)
        #expect(try await answerLast(.yes(name: entered))?.state == .accepted)
        #expect(try await names(ben) == ["Cleo", name])
        #expect(try await names(ada) == [name])
        #expect(try await server.news(of: ada).contains("A contact has another name"))
    }

    /// Ada has another contact called Mum.
    @Test func knownGuestTakesNoNameFromTheOthers() async throws {
        let (ben, mum) = (try await cleosNamesake(), try await server.person("Mum"))
        try await server.connect(mum, watchesOver: ada)
        #expect(try await answerLast(.yes(name: "Mum"))?.state == .accepted)
        #expect(try await names(ben) == ["Cleo", "Mum Cleo"])
        #expect(try await names(ada) == ["Mum", "Mum Cleo"])
    }

    @Test func knownGuestKeepsAFreeName() async throws {
        let ben = try await server.person("Ben")
        try await invite()
        _ = try await answer(.yes(name: "Cleo"))
        server.clock.pass(.hours(1))
        try await invite(by: ben, name: "Mum")
        let view = try await answerLast(.yes(name: "Mum"))
        #expect(view?.guestName == "Cleo" && view?.renamesGuest == false)
        for person in [ben, ada] { #expect(try await names(person) == ["Cleo"]) }
        #expect(try await !server.news(of: ada).contains("A contact has another name"))
    }

    @Test func knownGuestTakesNoNameDuringAnAlert() async throws {
        let ben = try await cleosNamesake()
        let alert = try await server.raiseAlert(ada)
        let refused = await refusal { try await answerLast(.yes(name: "Mum")) }
        #expect(refused?.reason == .alertOpen)
        for person in [ben, ada] { #expect(try await names(person) == ["Cleo"]) }
        _ = try await server.endAlert(alert, ada)
        #expect(try await answerLast(.yes(name: "Mum"))?.state == .accepted)
        #expect(try await names(ben) == ["Cleo", "Mum"])
    }

    @Test func guestGetsNoNameThatIsAStatement() async throws {
        try await invite()
        for name in ["No one", "Ada is safe. Ben"] {
            #expect(await refusal { try await answer(.yes(name: name)) }?.field == "name")
        }
        #expect(try await answer(.yes(name: "Dr. Mia Moe"))?.state == .accepted)
        #expect(try await guest().name == "Dr. Mia Moe")
    }

    @Test func noHoldsUntilTheLinkUndoesIt() async throws {
        try await invite()
        #expect(try await answer(.no)?.state == .declined)
        #expect(try await server.news(of: ada).contains("Mia said no"))
        let declined = try #require(
            try await server.network.invitations.invitations(of: ada.caller).first)
        try await server.network.invitations.withdrawInvitation(declined.id, by: ada.caller)
        #expect(try await server.network.invitationAnswers.invitation(by: try secret()) == nil)
        try await invite()
        #expect(texts.count == 1)
        #expect(try await answer(.no)?.state == .declined)
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    @Test func strangerGetsOneInvitationMessage() async throws {
        try await invite()
        try await invite()
        let ben = try await server.person("Ben")
        server.clock.pass(.days(100))
        let pending = try await invite(by: ben)
        #expect(pending.state == .pending && texts.count == 1)
        // After Mia's "yes" to Ada's invitation, Ben may send a message.
        let listed = try #require(
            try await server.network.invitations.invitations(of: ada.caller).first)
        try await server.network.invitations.withdrawInvitation(listed.id, by: ada.caller)
        try await invite()
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
        try await server.network.invitations.withdrawInvitation(pending.id, by: ben.caller)
        for _ in 0..<2 { try await invite(by: ben) }
        #expect(texts.count == 2)
    }

    @Test func undeliveredInvitationIsSentAgain() async throws {
        let invitation = try await invite()
        await server.environment.failInvitations()
        try await invite()
        #expect(texts.count == 1)
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        try await invite()
        #expect(texts.count == 2)
    }

    @Test func invitingAgainADayLaterSendsOnlyAnUndeliveredMessage() async throws {
        try await invite()
        await server.environment.failInvitations()
        for _ in 0..<2 {
            server.clock.pass(InvitationRules.window)
            try await invite()
            #expect(texts.count == 2)
        }
    }

    @Test func invitingAgainADayLaterCountsInTheLimit() async throws {
        let numbers = try (0..<InvitationRules.perDay).map {
            try PhoneNumber("+44207183877\($0)")
        }
        for _ in 0..<2 {
            for number in numbers { try await invite(number) }
            let refused = await refusal { try await invite() }
            #expect(refused?.retryAfter == .days(1))
            server.clock.pass(InvitationRules.window)
        }
    }

    @Test func anAccountLooksLikeAnyNumber() async throws {
        let cleo = try await server.person("Cleo")
        let known = try await invite(cleo.number)
        let unknown = try await invite()
        #expect(known.state == unknown.state && known.contactID == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        let text = try #require(server.environment.texts(on: cleo.number).last)
        let secret = try secret(text)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Other"))
        // An answer under another name doesn't change the account.
        let contact = try #require(try await server.network.contacts.contacts(of: ada.caller).first)
        #expect(contact.id == cleo.id && contact.name == "Cleo")
    }

    /// Ben takes over the number of Mia, who is a guest.
    @Test func guestsNumberIsFreeAfterTheLastRelation() async throws {
        let ben = try await server.person("Ben")
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let change = { [server, mia] in
            let code = try await server.code(for: mia)
            return try await server.network.phoneNumberChange.changePhoneNumber(
                to: mia, code: code, of: ben.caller)
        }
        #expect(await refusal { try await change() }?.reason == .guestNumber)
        #expect(try await server.profile(ben).phoneNumber == ben.number)
        _ = try await answer(.no)
        server.clock.pass(.hours(1))
        #expect(try await change().phoneNumber == mia)
    }

    @Test func blockedPersonsInvitationSendsNothing() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        _ = try await server.network.blocks.block(ada.id, by: cleo.caller)
        #expect(try await invite(cleo.number).state == .pending)
        #expect(server.environment.texts(on: cleo.number).isEmpty)
    }

    /// The budget has room for one invitation. Cleo has blocked Ada, so hers has no message.
    @Test(arguments: [false, true])
    func usedUpBudgetRevealsNoBlock(invitesCleoFirst: Bool) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.budgets.sms = Budget(total: nil, perUser: 1)
        })
        let (ada, cleo) = (try await server.person("Ada"), try await server.person("Cleo"))
        try await server.connect(cleo, watchesOver: ada)
        _ = try await server.network.blocks.block(ada.id, by: cleo.caller)
        let numbers = invitesCleoFirst ? [cleo.number, mia] : [mia, cleo.number]
        let invitations = server.network.invitations
        let first = try await invitations.invite("Mia", .number(numbers[0]), by: ada.caller)
        #expect(first.state == .pending)
        let refused = await refusal {
            try await invitations.invite("Mia", .number(numbers[1]), by: ada.caller)
        }
        #expect(refused?.retryAfter == .hours(12))
        #expect(server.environment.texts(on: cleo.number).isEmpty)
    }

    /// The response must not show that the number is Cleo's. Otherwise, a former partner could find
    /// her new number by trying many.
    @Test func personBlockedBySenderLooksLikeAnyNumber() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        _ = try await server.network.blocks.block(cleo.id, by: ada.caller)
        let invitation = try await invite(cleo.number)
        #expect(invitation.state == .pending && invitation.contactID == nil)
        #expect(server.environment.texts(on: cleo.number).isEmpty)
    }

    @Test func invitationLimitsHold() async throws {
        for index in 0..<10 {
            try await invite(try PhoneNumber("+44207183875\(index)"))
        }
        let refused = await refusal { try await invite(try PhoneNumber("+442071838760")) }
        #expect(refused?.retryAfter == .days(1))
        server.clock.pass(.days(1))
        for index in 0..<10 {
            try await invite(try PhoneNumber("+44207183877\(index)"))
        }
        server.clock.pass(.days(1))
        let full = await refusal { try await invite(try PhoneNumber("+442071838760")) }
        #expect(full?.field == "phoneNumber")
    }

    @Test func unusableNameInvitesNoOne() async throws {
        let spam = try await server.person("Win at 555")
        #expect(await refusal { try await invite(by: spam) }?.isPermissionDenied == true)
        #expect(await refusal { try await invite(name: "x.example") }?.field == "name")
        #expect(await refusal { try await invite(ada.number) }?.field == "phoneNumber")
        #expect(texts.isEmpty)
    }

    @Test func aLateYesDoesNotCount() async throws {
        try await invite()
        server.clock.pass(.days(30))
        #expect(try await answer(.yes(name: "Mia"))?.state == .expired)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func lockedInviterGetsNoYes() async throws {
        let administration = server.network.administration
        try await invite()
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        let shown = try await server.network.invitationAnswers.invitation(by: try secret())
        #expect(shown?.state == .held)
        #expect(try await answer(.yes(name: "Mia"))?.state == .held)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        _ = try await administration.unlock(ada.number.text, reason: "Settled", by: "root")
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    @Test func lockedInvitersInvitationBecomesTooOld() async throws {
        try await invite()
        _ = try await server.network.administration.lock(
            ada.number.text, reason: "Spam", by: "root")
        server.clock.pass(.days(30) - .milliseconds(1))
        #expect(try await answer(.yes(name: "Mia"))?.state == .held)
        server.clock.pass(.milliseconds(1))
        #expect(try await answer(.yes(name: "Mia"))?.state == .expired)
    }

    /// A lock stops a "yes" only.
    @Test func lockedInviterGetsANo() async throws {
        let administration = server.network.administration
        try await invite()
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        let declined = try await answer(.no)
        #expect(declined?.state == .declined && declined?.takesYes == false)
        #expect(try await answer(.yes(name: "Mia"))?.state == .declined)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        _ = try await administration.unlock(ada.number.text, reason: "Settled", by: "root")
        let page = try await server.network.invitationAnswers.invitation(by: try secret())
        #expect(page?.state == .declined && page?.takesYes == true)
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    @Test func oldInvitationTakesANoForGood() async throws {
        try await invite()
        server.clock.pass(.days(30))
        let declined = try await answer(.no)
        #expect(declined?.state == .declined && declined?.takesYes == false)
        #expect(try await answer(.yes(name: "Mia"))?.state == .declined)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func lockStopsNoUndo() async throws {
        try await invite()
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
        #expect(try await answer(.no)?.state == .declined)
        _ = try await server.network.administration.lock(
            ada.number.text, reason: "Spam", by: "root")
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    /// The message was checked, and the inviter can have got another name since.
    @Test(arguments: [
        ("Win at 555", "A LifeSignal user"), ("Ada Lovelace", "Ada Lovelace"),
    ])
    func pageShowsNoAdvertisement(name: String, shown: String) async throws {
        try await invite()
        _ = try await server.network.profiles.updateProfile(
            name: name, emergencyNote: nil, of: ada.caller)
        let page = try await server.network.invitationAnswers.invitation(by: try secret())
        #expect(page?.sender == shown && page?.state == .pending)
    }

    @Test func aYesNeedsRoomForAnotherContact() async throws {
        try await invite()
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await server.engine.write(about: .none) { [server, ada] transaction in
            for number in 0..<199 {
                let user: UserID = server.environment.id()
                try transaction.insertUser(
                    user, phoneNumber: PhoneNumber("+4930\(1_000_000 + number)"))
                try transaction.insertContact(user, of: ada.id, roles: roles)
            }
        }
        #expect(await refusal { try await answer(.yes(name: "Mia")) }?.field == "answer")
        let full = await refusal { try await invite(try PhoneNumber("+442071838760")) }
        #expect(full?.reason == .contactsFull)
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        #expect(try await answer(.yes(name: "Mia"))?.state == .accepted)
    }

    @Test func guestGetsSMSAndAnswersByTheLink() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.send(.sms) == ["Mia"])
        let guest = try await guest()
        #expect(guest.guestSince != nil)
        let link = server.network.guestAlerts.alertLink(to: guest.id, try alert.typedID, in: .sms)
        let secret = try #require(link.fragment)
        #expect(link.path == "/a" && link.query == nil)
        let shown = try #require(try await server.network.guestAlerts.guestAlert(by: secret))
        #expect(shown.name == "Ada" && shown.helper == .nobody && !shown.isOver)
        #expect(
            try await server.network.guestAlerts.answerAlert(by: secret, .cannot)?.helper == .nobody
        )
        #expect(try await server.network.guestAlerts.answerAlert(by: secret, .onIt)?.helper == .you)
        #expect(try await server.news(of: ada).contains("Mia is on it"))
        _ = try await server.endAlert(alert, ada)
        server.clock.pass(.days(1) - .milliseconds(1))
        #expect(try await server.network.guestAlerts.guestAlert(by: secret)?.isOver == true)
        server.clock.pass(.milliseconds(1))
        #expect(try await server.network.guestAlerts.guestAlert(by: secret) == nil)
    }

    @Test func linkIsValidForItsPurposeAndPersonOnly() async throws {
        try await invite()
        let secret = try secret()
        #expect(try await server.network.guestAlerts.guestAlert(by: secret) == nil)
        for wrong in ["", "AAAA", String(secret.reversed()), secret + "A"] {
            #expect(try await server.network.invitationAnswers.invitation(by: wrong) == nil)
        }
        let alert = try await server.raiseAlert(ada)
        let stranger = try await server.person("Eve")
        let link = server.network.guestAlerts.alertLink(
            to: stranger.id, try alert.typedID, in: .sms)
        #expect(
            try await server.network.guestAlerts.guestAlert(by: try #require(link.fragment)) == nil)
    }

    @Test func stoppingGuestIsNoResponder() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let alert = try await server.raiseAlert(ada)
        let link = server.network.guestAlerts.alertLink(
            to: try await guest().id, try alert.typedID, in: .sms)
        let secret = try #require(link.fragment)
        #expect(try await server.network.guestAlerts.answerAlert(by: secret, .stop) == nil)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
        #expect(try await server.news(of: ada).contains("Mia no longer helps you"))
    }

    @Test func signingUpKeepsTheRelation() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let signedIn = try await server.signIn(mia, as: "Mia")
        #expect(signedIn.tokens.isNewUser)
        #expect(
            try await server.network.contacts.contacts(of: signedIn.caller).map(\.id) == [ada.id])
        #expect(try await guest().guestSince == nil)
    }

    @Test func formerGuestSetsUpUntilTheFirstCheckInOrProfile() async throws {
        try await invite()
        _ = try await answer(.yes(name: "Mia"))
        let signedIn = try await server.signIn(mia, as: "Mia")
        let profile = try await server.profile(signedIn)
        #expect(profile.name == "Mia" && profile.isSettingUp == true)
        #expect(try await server.profile(ada).isSettingUp == nil)
        let saved = try await server.network.profiles.updateProfile(
            name: "Mia Moe", emergencyNote: nil, of: signedIn.caller)
        #expect(saved.isSettingUp == nil)

        let other = try PhoneNumber("+442071838751")
        _ = try await server.guest("Ida", other, of: ada)
        let ida = try await server.signIn(other, as: "Ida")
        #expect(try await server.profile(ida).isSettingUp == true)
        try await server.checkIn(ida)
        #expect(try await server.profile(ida).isSettingUp == nil)
    }
}
