import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Mia, a responder without an account, presses "Never tell me again" on an alert's page.
@Suite struct StoppedHelpTests {
    private let server: TestServer
    private let ada: Person
    private let number: PhoneNumber

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        ada = try await server.armed("Ada")
        number = try PhoneNumber("+442071838750")
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: "Insulin in the fridge", of: ada.caller)
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("ada@example.org"), from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: ada.caller)
        _ = try await server.network.invitations.invite("Mia", .number(number), by: ada.caller)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: try invitationSecret(), .yes(name: "Mia"))
    }

    private func invitationSecret() throws -> String {
        let text = try #require(server.environment.texts(on: number).first)
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        return String(fragment.prefix { !$0.isWhitespace })
    }

    private func mia() async throws -> UserID {
        let number = number
        return try #require(try await server.engine.read { try $0.user(phoneNumber: number) }).id
    }

    /// Raises an alert and returns the secret of its link.
    private func alarm() async throws -> String {
        let alert = try await server.raiseAlert(ada)
        let link = server.network.guestAlerts.alertLink(
            to: try await mia(), try alert.typedID, in: .sms)
        return try #require(link.fragment)
    }

    private func isHelping() async throws -> Bool {
        try await server.network.contacts.contacts(of: ada.caller).contains { $0.name == "Mia" }
    }

    @discardableResult
    private func answer(_ secret: String, _ answer: GuestAnswer) async throws -> GuestAlert? {
        try await server.network.guestAlerts.answerAlert(by: secret, answer)
    }

    @Test func stoppedHelpUsesEveryChannel() async throws {
        let muted = try NotificationPreferences(muted: [.contactAdded, .contactRemoved])
        _ = try await server.network.notifications.setPreferences(muted, of: ada.caller)
        let secret = try await alarm()
        for channel in [DeliveryChannel.sms, .email] { _ = try await server.send(channel) }
        #expect(try await answer(secret, .stop) == nil)
        #expect(try await !isHelping())
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await server.send(.email).contains("Ada"))
        #expect(try await server.news(of: ada).contains("Mia no longer helps you"))
        #expect(try await answer(secret, .undo)?.isOver == false)
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await server.news(of: ada).contains("Mia helps you again"))
    }

    /// Mia opens the pages of an alert before and after STOP and START.
    @Test func alertPageKnowsOfAStop() async throws {
        let secret = try await alarm()
        let alerts = server.network.guestAlerts
        for (text, hasStopped) in [("", false), ("STOP", true), ("START", false)] {
            server.clock.pass(.seconds(10))
            if !text.isEmpty {
                _ = try await server.network.textAnswers.receiveText(text, from: number)
            }
            #expect(try await alerts.guestAlert(by: secret)?.hasStoppedTexts == hasStopped)
        }
    }

    // MARK: Guests with only an e-mail address

    /// Invites Leo by e-mail, and says "yes" for him.
    private func leo() async throws -> UserID {
        let address = try EmailAddress("leo@example.org")
        _ = try await server.network.invitations.invite("Leo", .address(address), by: ada.caller)
        let mail = try #require(server.environment.invitations.last).text
        let fragment = try #require(mail.split(separator: "#").dropFirst().first)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: String(fragment.prefix { !$0.isWhitespace }), .yes(name: "Leo"))
        let user = try await server.engine.read { try $0.user(emailAddress: address) }
        return try #require(user).id
    }

    private func unsubscribeLink(of guest: UserID) async throws -> String {
        let email = try #require(try await server.engine.read { try $0.confirmedEmail(of: guest) })
        let key = server.network.key
        return UnsubscribeToken(
            user: guest.uuid, address: email.address, verifiedAt: email.verifiedAt, key: key
        ).text(key: key)
    }

    private func muteContacts() async throws {
        let muted = try NotificationPreferences(muted: [.contactAdded, .contactRemoved])
        _ = try await server.network.notifications.setPreferences(muted, of: ada.caller)
    }

    @Test func unsubscribedGuestsEndUsesEveryChannel() async throws {
        let link = try await unsubscribeLink(of: try await leo())
        let addresses = server.network.emailAddresses
        try await muteContacts()
        #expect(
            try await addresses.unsubscribeView(link)
                == UnsubscribeView(hasProfile: false, helped: ["Ada"]))
        for channel in [DeliveryChannel.sms, .email] { _ = try await server.send(channel) }
        // The second press is a repeat.
        for _ in 0..<2 { #expect(try await addresses.unsubscribe(link)) }
        #expect(try await server.send(.sms).contains("Ada"))
        #expect(try await server.send(.email).contains("Ada"))
        let told = try await server.news(of: ada).filter { $0.hasPrefix("Leo ") }
        #expect(told.filter { $0 == "Leo no longer helps you" }.count == 1)
        #expect(!told.contains("Leo is no longer your contact"))
        #expect(
            try await addresses.unsubscribeView(link)
                == UnsubscribeView(hasProfile: false, helped: []))
    }

    @Test func guestWhoWasOnlyAskedIsRemovedWithoutAnAlarm() async throws {
        let leo = try await leo()
        let contacts = server.network.contacts
        // Leo helps Ada no more. On an older server, she has only asked to watch over him.
        let asked = Relation(dependent: .requested(isMine: true, at: noon))
        let user = ada.id
        try await server.engine.write(about: Subjects([user, leo])) {
            try $0.updateContact(leo, of: user, relation: asked)
        }
        try await muteContacts()
        #expect(
            try await server.network.emailAddresses.unsubscribe(try await unsubscribeLink(of: leo)))
        #expect(try await !contacts.contacts(of: ada.caller).contains { $0.name == "Leo" })
        #expect(try await !server.news(of: ada).contains("Leo no longer helps you"))
    }

    /// Leo stops helping, then stops the e-mail, and then undoes the first stop.
    @Test(arguments: [true, false])
    func undoAfterTheEndOfMailRestoresTheAddress(isByAlert: Bool) async throws {
        let leo = try await leo()
        let mail = try #require(server.environment.invitations.last).text
        let fragment = try #require(mail.split(separator: "#").dropFirst().first)
        let invitation = String(fragment.prefix { !$0.isWhitespace })
        let unsubscribe = try await unsubscribeLink(of: leo)
        let answers = server.network.invitationAnswers
        var alert: String?
        if isByAlert {
            let raised = try await server.raiseAlert(ada)
            alert =
                server.network.guestAlerts.alertLink(
                    to: leo, try raised.typedID, in: .email
                ).fragment
            try await answer(try #require(alert), .stop)
        } else {
            _ = try await answers.answerInvitation(by: invitation, .no)
        }
        #expect(try await server.network.emailAddresses.unsubscribe(unsubscribe))
        #expect(try await server.engine.read { try $0.confirmedEmail(of: leo) } == nil)
        _ = try await server.send(.email)
        server.clock.pass(.seconds(1))
        if let alert {
            try await answer(alert, .undo)
        } else {
            _ = try await answers.answerInvitation(by: invitation, .yes(name: ""))
            try await server.raiseAlert(ada)
        }
        let email = try await server.engine.read { try $0.confirmedEmail(of: leo) }
        #expect(email?.address == "leo@example.org" && email?.verifiedAt == server.clock.now)
        #expect(try await server.send(.email).contains("Leo"))
        // A link from before the end of the e-mail doesn't end it again.
        #expect(try await server.network.emailAddresses.unsubscribe(unsubscribe))
        #expect(try await server.engine.read { try $0.confirmedEmail(of: leo) } == email)
    }

    /// The message was sent before Leo's address was confirmed again.
    @Test func undoAfterTheEndOfMailRevivesTheLink() async throws {
        let leo = try await leo()
        let unsubscribe = try await unsubscribeLink(of: leo)
        let alert = try await server.raiseAlert(ada)
        let alerts = server.network.guestAlerts
        let link = alerts.alertLink(to: leo, try alert.typedID, in: .email)
        let secret = try #require(link.fragment)
        #expect(try await server.send(.email).contains("Leo"))
        server.clock.pass(.seconds(1))
        try await answer(secret, .stop)
        #expect(try await server.network.emailAddresses.unsubscribe(unsubscribe))
        #expect(try await alerts.guestAlert(by: secret) == nil)
        server.clock.pass(.seconds(1))
        #expect(try await answer(secret, .undo)?.isOver == false)
        #expect(try await answer(secret, .onIt)?.helper == .you)
    }

    @Test func accountsLinkOffersTheProfile() async throws {
        let link = try await unsubscribeLink(of: ada.id)
        #expect(
            try await server.network.emailAddresses.unsubscribeView(link)
                == UnsubscribeView(hasProfile: true, helped: []))
        #expect(try await server.network.emailAddresses.unsubscribeView("x" + link) == nil)
    }

    // MARK: Undoing

    /// Mia is the only responder. The stop ends her "I'm on it", which isn't an "I can't".
    @Test func undoneStopIsNoRefusal() async throws {
        let secret = try await alarm()
        try await answer(secret, .onIt)
        server.clock.pass(.seconds(1))
        try await answer(secret, .stop)
        server.clock.pass(.seconds(1))
        let page = try #require(try await answer(secret, .undo))
        #expect(page.helper == .nobody && !page.hasDeclined && page.leavesOthers)
        let alert = try #require(try await server.openAlert(ada))
        #expect(alert.refusals == nil && alert.isRefusedByAll == nil)
        #expect(try await !server.news(of: ada).contains("Your responders can't come"))
        let history = try await server.alert(alert, seenBy: ada).history
        #expect(history.map(\.kind) == [.acknowledged, .withdrew])
    }

    @Test func undoneStopEndsARefusal() async throws {
        let secret = try await alarm()
        #expect(try await answer(secret, .cannot)?.hasDeclined == true)
        _ = try await server.news(of: ada)
        server.clock.pass(.seconds(1))
        try await answer(secret, .stop)
        server.clock.pass(.seconds(1))
        let page = try #require(try await answer(secret, .undo))
        #expect(!page.hasDeclined && page.leavesOthers)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == nil)
        server.clock.pass(.seconds(1))
        #expect(try await answer(secret, .cannot)?.hasDeclined == true)
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
    }

    @Test func stopCanBeUndoneForADay() async throws {
        let secret = try await alarm()
        server.clock.pass(.days(100))
        try await answer(secret, .stop)
        let stopped = try #require(try await server.network.guestAlerts.stoppedHelp(by: secret))
        #expect(stopped.name == "Ada" && stopped.undoWords.contains("UTC on "))
        let listed = try #require(
            try await server.network.invitations.invitations(of: ada.caller).first)
        #expect(listed.state == .declined && listed.contactID == nil)
        server.clock.pass(.days(1) - .milliseconds(1))
        try await answer(secret, .undo)
        #expect(try await isHelping())
        #expect(try await server.network.guestAlerts.stoppedHelp(by: secret) == nil)
        try await answer(secret, .stop)
        server.clock.pass(.days(1))
        #expect(try await server.network.guestAlerts.stoppedHelp(by: secret) == nil)
        #expect(try await answer(secret, .undo) == nil)
        #expect(try await !isHelping())
    }

    @Test(arguments: [true, false])
    func stopTellsWhetherTheAlertIsOver(isOver: Bool) async throws {
        let secret = try await alarm()
        try await answer(secret, .stop)
        if isOver {
            _ = try await server.endAlert(try #require(try await server.openAlert(ada)), ada)
        }
        #expect(
            try await server.network.guestAlerts.stoppedHelp(by: secret)?.isOver == isOver)
    }

    @Test func invitationPageUndoesAStopToo() async throws {
        server.clock.pass(.days(100))
        let secret = try invitationSecret()
        let stopped = try await server.network.invitationAnswers.answerInvitation(by: secret, .no)
        #expect(stopped?.state == .declined && stopped?.undoWords != nil)
        let back = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: ""))
        #expect(back?.state == .accepted && back?.undoWords == nil)
        _ = try await server.network.invitationAnswers.answerInvitation(by: secret, .no)
        server.clock.pass(.days(1))
        let late = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: ""))
        #expect(late?.state == .declined && late?.takesYes == false)
        #expect(try await !isHelping())
        _ = try await server.news(of: ada)
        _ = try await server.network.invitationAnswers.answerInvitation(by: secret, .no)
        #expect(try await server.news(of: ada).isEmpty)
    }

    /// Mia signs up, moves to another number after the stop, and undoes it by a link from before.
    @Test(arguments: [true, false])
    func undoRestoresThePersonWithANewNumber(isByAlert: Bool) async throws {
        let (alert, invitation) = (try await alarm(), try invitationSecret())
        let answers = server.network.invitationAnswers
        if isByAlert {
            try await answer(alert, .stop)
        } else {
            _ = try await answers.answerInvitation(by: invitation, .no)
        }
        #expect(try await !isHelping())
        let mia = try await server.signIn(number, as: "Mia")
        let new = try PhoneNumber("+442071838751")
        let code = try await server.code(for: new)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: new, code: code, of: mia.caller)
        if isByAlert {
            try await answer(alert, .undo)
        } else {
            let page = try await answers.answerInvitation(by: invitation, .yes(name: ""))
            #expect(page?.state == .accepted)
        }
        let contacts = try await server.network.contacts.contacts(of: ada.caller)
        #expect(contacts.map(\.id) == [mia.id] && contacts.first?.isResponder == true)
    }

    @Test func theOwnersDecisionIsNotUndone() async throws {
        let secret = try await alarm()
        try await answer(secret, .stop)
        let invitation = try #require(
            try await server.network.invitations.invitations(of: ada.caller).first)
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        #expect(try await answer(secret, .undo) == nil)
        #expect(try await !isHelping())
    }

    @Test func aRemovalIsNotUndone() async throws {
        let secret = try await alarm()
        try await server.network.contacts.removeContact(try await mia(), by: ada.caller)
        #expect(try await server.network.guestAlerts.stoppedHelp(by: secret) == nil)
        #expect(try await answer(secret, .undo) == nil)
        #expect(try await !isHelping())
    }

    @Test func undosPerDayAreLimited() async throws {
        let secret = try await alarm()
        for _ in 0..<InvitationRules.undosPerDay {
            try await answer(secret, .stop)
            try await answer(secret, .undo)
            #expect(try await isHelping())
        }
        try await answer(secret, .stop)
        let refused = await refusal { try await answer(secret, .undo) }
        #expect(refused?.field == "answer")
        #expect(try await !isHelping())
        let asked = try await inviteAgain()
        #expect(asked.state == .pending && asked.contactID == nil)
        let answers = server.network.invitationAnswers
        let page = try await answers.invitation(by: try invitationSecret())
        #expect(page?.state == .pending && page?.undoWords == nil)
        let shown = try await answers.answerInvitation(
            by: try invitationSecret(), .yes(name: "Mia"))
        #expect(shown?.state == .accepted)
        #expect(try await isHelping())
    }

    /// The link already undoes the stop, so inviting again changes nothing.
    @Test func stopHoldsWhileItCanBeUndone() async throws {
        try await answer(try await alarm(), .stop)
        #expect(try await inviteAgain().state == .declined)
    }

    private func inviteAgain() async throws -> Invitation {
        let texts = server.environment.texts(on: number).count
        let invitation = try await server.network.invitations.invite(
            "Mia", .number(number), by: ada.caller)
        #expect(server.environment.texts(on: number).count == texts)
        return invitation
    }

    /// Mia has an account. She comes back by Ada's code. The limit on undos doesn't count that.
    @Test func onlyTheFirstStopsOfADayUseEveryChannel() async throws {
        let mia = try await server.signIn(number, as: "Mia")
        let (answers, secret) = (server.network.invitationAnswers, try invitationSecret())
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await muteContacts()
        func stop(isUrgent: Bool) async throws {
            _ = try await server.send(.sms)
            _ = try await answers.answerInvitation(by: secret, .no)
            #expect(try await !isHelping())
            #expect(try await server.send(.sms).contains("Ada") == isUrgent)
            let news = try await server.news(of: ada)
            #expect(news.contains("Mia no longer helps you") == isUrgent)
            #expect(news.contains("Mia is no longer your contact") == !isUrgent)
            let code = try #require(
                QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
            _ = try await server.network.contacts.addContact(
                code: code, roles: roles, to: mia.caller)
            #expect(try await isHelping())
        }
        for _ in 0..<InvitationRules.urgentStopsPerDay { try await stop(isUrgent: true) }
        server.clock.pass(InvitationRules.window - .milliseconds(1))
        try await stop(isUrgent: false)
        server.clock.pass(.milliseconds(1))
        try await stop(isUrgent: true)
    }

    @Test func onlyTheHelperSeesTheEmergencyNote() async throws {
        let secret = try await alarm()
        #expect(try await server.network.guestAlerts.guestAlert(by: secret)?.emergencyNote == "")
        #expect(try await answer(secret, .onIt)?.emergencyNote == "Insulin in the fridge")
        #expect(try await answer(secret, .cannot)?.emergencyNote == "")
        #expect(try await answer(secret, .onIt)?.emergencyNote == "Insulin in the fridge")
        let alert = try #require(try await server.openAlert(ada))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.network.guestAlerts.guestAlert(by: secret)?.emergencyNote == "")
    }

    @Test func theEmergencyNoteNeedsConsent() async throws {
        let ben = try await server.person("Ben")
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        let link = server.network.guestAlerts.alertLink(to: ben.id, try alert.typedID, in: .sms)
        let secret = try #require(link.fragment)
        let shown = try await answer(secret, .onIt)
        #expect(shown?.helper == .you && shown?.emergencyNote == "")
    }

    @Test func aRefusalIsRemembered() async throws {
        let secret = try await alarm()
        #expect(try await answer(secret, .cannot)?.hasDeclined == true)
        #expect(try await server.network.guestAlerts.guestAlert(by: secret)?.hasDeclined == true)
        server.clock.pass(.seconds(1))
        #expect(try await answer(secret, .onIt)?.hasDeclined == false)
    }

    @Test func aRefusalIsOverWithTheAlert() async throws {
        let secret = try await alarm()
        try await answer(secret, .cannot)
        let alert = try #require(try await server.openAlert(ada))
        _ = try await server.endAlert(alert, ada)
        let shown = try await server.network.guestAlerts.guestAlert(by: secret)
        #expect(shown?.isOver == true && shown?.hasDeclined == false)
    }
}
