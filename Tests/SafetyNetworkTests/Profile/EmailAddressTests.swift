import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct EmailAddressTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: { $0.isEmailAvailable = true })
        ada = try await server.person("Ada")
    }

    private var emails: [SentEmail] { server.environment.emails }

    @discardableResult
    private func enter(
        _ address: String = "ada@example.org", _ person: Person? = nil,
        from origin: String = "192.0.2.1"
    ) async throws -> EmailStatus {
        try await server.network.emailAddresses.setEmailAddress(
            EmailAddress(address), from: origin, of: (person ?? ada).caller)
    }

    private func confirm(_ code: String, _ person: Person? = nil) async throws -> EmailStatus {
        try await server.network.emailAddresses.confirmEmailAddress(
            code: code, of: (person ?? ada).caller)
    }

    private func status(_ person: Person? = nil) async throws -> EmailStatus {
        try await server.network.emailAddresses.emailStatus(of: (person ?? ada).caller)
    }

    private func key() throws -> ServerKey {
        try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
    }

    @Test func addressIsUsedAfterConfirmation() async throws {
        let entered = try await enter()
        #expect(entered.address == nil && entered.unverifiedAddress == "ada@example.org")
        let email = try #require(emails.first)
        #expect(emails.count == 1 && email.address == "ada@example.org")
        let confirmed = try await confirm(email.code)
        #expect(confirmed.address == "ada@example.org" && confirmed.unverifiedAddress == nil)
        #expect(confirmed.verifiedAt == server.clock.now)
        let items = try await server.newsItems(of: ada)
        let item = try #require(items.first { $0.title == "Your e-mail address was added" })
        #expect(item.body.hasPrefix("Alerts come by e-mail to ada@example.org, too. "))
    }

    @Test func repeatedConfirmationSaysWhereMessagesGo() async throws {
        let none = await refusal { try await confirm("123456") }
        #expect(none == .invalidArgument(field: "code", "Enter an e-mail address first."))
        try await enter()
        _ = try await confirm(emails[0].code)
        let again = await refusal { try await confirm(emails[0].code) }
        #expect(
            again
                == .invalidArgument(
                    field: "code",
                    "No new address waits for a code. Messages go to ada@example.org."))
    }

    @Test func strangersMailboxGetsOneMessage() async throws {
        let ben = try await server.person("Ben")
        try await enter()
        for _ in 0..<3 { try await enter() }
        server.clock.pass(.days(30) - .seconds(1))
        // The mailbox gets no second code: not after the first one expires, not for another user,
        // and not for another spelling.
        let again = try await enter()
        #expect(again.unverifiedAddress == "ada@example.org")
        try await enter("ADA+2@example.org", ben)
        #expect(emails.count == 1)
        // The code was sent for Ada's account, so Ben can't use it.
        #expect(await refusal { try await confirm(emails[0].code, ben) }?.field == "code")
    }

    @Test func othersCannotBlockAMailbox() async throws {
        let mallory = try await server.person("Mallory")
        try await enter("ada@example.org", mallory)
        server.clock.pass(.days(30))
        try await enter()
        #expect(emails.count == 2)
        #expect(try await confirm(emails[1].code).address == "ada@example.org")
    }

    @Test func theSecondMessageIsTheLast() async throws {
        for _ in 0..<4 {
            try await enter()
            server.clock.pass(.days(30))
        }
        #expect(emails.count == 2)
    }

    @Test func googlesTwoDomainsAreOneMailbox() async throws {
        try await enter("Ada.Lovelace@gmail.com")
        let ben = try await server.person("Ben")
        try await enter("adalovelace+1@GoogleMail.com", ben)
        #expect(emails.count == 1)
    }

    @Test func unsentCodeMayBeRepeated() async throws {
        try await enter()
        await emails[0].fail()
        try await enter()
        #expect(emails.count == 2)
        #expect(await refusal { try await confirm(emails[0].code) }?.field == "code")
        #expect(try await confirm(emails[1].code).address == "ada@example.org")
    }

    @Test func oldAddressStaysUntilConfirmation() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        let both = try await enter("ada@example.com")
        #expect(both.address == "ada@example.org")
        #expect(both.unverifiedAddress == "ada@example.com")
        #expect(try await confirm(emails[1].code).address == "ada@example.com")
    }

    @Test func lockedAccountKeepsItsAddress() async throws {
        let administration = server.network.administration
        try await enter()
        _ = try await confirm(emails[0].code)
        try await enter("ada@example.com")
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        // A refused code costs no attempt, right or wrong.
        let wrong = emails[1].code == "111111" ? "111112" : "111111"
        for code in [String](repeating: wrong, count: 10) + [emails[1].code] {
            #expect(await refusal { try await confirm(code) } == .accountLocked)
        }
        let locked = try await status()
        #expect(locked.address == "ada@example.org")
        #expect(locked.unverifiedAddress == "ada@example.com")
        #expect(server.environment.lastMails.isEmpty)
        _ = try await administration.unlock(ada.number.text, reason: "Sorry", by: "root")
        #expect(try await confirm(emails[1].code).address == "ada@example.com")
    }

    /// A thief could remove the address first, and act unnoticed from then on.
    @Test func removedAddressIsAnnouncedAndGetsALastMessage() async throws {
        let thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        try await enter()
        try await server.network.emailAddresses.deleteEmailAddress(of: thief.caller)
        #expect(server.environment.lastMails.isEmpty, "an unconfirmed address is nobody's yet")
        server.clock.pass(.days(30))
        try await enter()
        _ = try await confirm(emails[1].code)
        server.clock.pass(.days(7))
        _ = try await server.news(of: ada)
        try await server.network.emailAddresses.deleteEmailAddress(of: thief.caller)
        let items = try await server.newsItems(of: ada)
        #expect(items.map(\.title) == ["An e-mail address was removed"])
        #expect(items.first?.sessionID == thief.caller.sessionID)
        let mail = try #require(server.environment.lastMails.last)
        let link = server.network.accountNews.sessionLink(ada.id, thief.caller.sessionID)
        #expect(mail.address == "ada@example.org" && mail.text.contains(link.absoluteString))
        try await server.network.emailAddresses.deleteEmailAddress(of: thief.caller)
        #expect(try await server.news(of: ada) == [])
        #expect(server.environment.lastMails.count == 1)
    }

    /// A thief could end the owner's sessions by the last message to an own address.
    @Test func newAddressesLastMessageEndsNoSession() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        server.clock.pass(.days(7))
        let thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let addresses = server.network.emailAddresses
        _ = try await addresses.setEmailAddress(
            EmailAddress("thief@example.com"), from: "192.0.2.1", of: thief.caller)
        _ = try await addresses.confirmEmailAddress(code: emails[1].code, of: thief.caller)
        server.clock.pass(.days(7) - .milliseconds(1))
        try await addresses.deleteEmailAddress(of: ada.caller)
        let mails = server.environment.lastMails
        #expect(mails.map(\.address) == ["ada@example.org", "thief@example.com"])
        let link = server.network.accountNews.sessionLink(ada.id, thief.caller.sessionID)
        #expect(mails.map { $0.text.contains(link.absoluteString) } == [true, false])
        #expect(mails.map { $0.text.contains("without signing in") } == [true, false])
    }

    /// The connection to the database is lost during the commit.
    @Test func removedAddressGetsItsLastMessageAfterALostConnection() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        let database = AnswerLosingDatabase(server.engine)
        var world = SafetyNetwork.Environment { _, _ in }
        world.sendMail = { [environment = server.environment] in
            environment.mail(to: $0, subject: $1, $2)
        }
        let network = SafetyNetwork(
            database: database, options: server.network.options, key: server.network.key,
            environment: world)
        for _ in 1...2 {
            database.loseAnswer()
            try await network.emailAddresses.deleteEmailAddress(of: ada.caller)
            #expect(server.environment.lastMails.map(\.address) == ["ada@example.org"])
        }
        #expect(try await status() == EmailStatus())
    }

    @Test func replacedAddressGetsALastMessage() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        #expect(server.environment.lastMails.isEmpty)
        try await enter("ada@example.com")
        _ = try await confirm(emails[1].code)
        #expect(server.environment.lastMails.map(\.address) == ["ada@example.org"])
        // Another spelling is the same mailbox.
        try await enter("Ada+1@example.com")
        _ = try await confirm(emails[2].code)
        #expect(server.environment.lastMails.count == 1)
    }

    /// Somebody else may have read the code that deleted the account.
    @Test func deletedAccountsAddressGetsALastMessage() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        try await enter("waiting@example.org")
        try await server.deleteAccount(ada)
        let mail = try #require(server.environment.lastMails.first)
        #expect(mail.address == "ada@example.org" && server.environment.lastMails.count == 1)
        #expect(mail.text.contains("on a device that was signed in to it"))
        #expect(server.environment.texts(on: ada.number).isEmpty)
    }

    @Test func emailCodeHasTenAttemptsAndSevenDays() async throws {
        try await enter()
        let code = emails[0].code
        let wrong = code == "111111" ? "111112" : "111111"
        for _ in 0..<9 { #expect(await refusal { try await confirm(wrong) }?.field == "code") }
        server.clock.pass(.days(7))
        #expect(await refusal { try await confirm(code) }?.field == "code")
        try await enter("ada@example.com")
        for _ in 0..<10 { _ = await refusal { try await confirm(wrong) } }
        #expect(await refusal { try await confirm(emails[1].code) }?.field == "code")
        #expect(try await status().address == nil)
    }

    @Test func tenthAttemptAtTheLastMomentCounts() async throws {
        try await enter()
        let code = emails[0].code
        let wrong = code == "111111" ? "111112" : "111111"
        for _ in 0..<9 { _ = await refusal { try await confirm(wrong) } }
        server.clock.pass(.days(7) - .milliseconds(1))
        #expect(try await confirm(code).address == "ada@example.org")
    }

    @Test func enteringAddressesIsLimited() async throws {
        for number in 1...5 { try await enter("a\(number)@example.org") }
        #expect(await refusal { try await enter("a6@example.org") }?.retryAfter == .days(1))
        server.clock.pass(.days(1))
        try await enter("a6@example.org")
        #expect(emails.count == 6)
    }

    /// The owner takes the address back after somebody with the unlocked phone replaced it.
    @Test(arguments: [(Duration.days(7) - .milliseconds(1), true), (.days(7), false)])
    func formerAddressCountsTowardsNoLimitForAWeek(time: Duration, isTaken: Bool) async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        try await enter("thief@example.com")
        _ = try await confirm(emails[1].code)
        server.clock.pass(time)
        for number in 1...5 { try await enter("a\(number)@example.org") }
        #expect(await refusal { try await enter("a6@example.org") }?.retryAfter == .days(1))
        let refused = await refusal { try await enter() }
        let wait: Duration? = isTaken ? nil : .days(1)
        #expect(refused?.retryAfter == wait)
        guard isTaken else { return }
        let email = try #require(emails.last)
        #expect(email.address == "ada@example.org")
        #expect(try await confirm(email.code).address == "ada@example.org")
    }

    /// The code in the mailbox counts again after another address was entered.
    @Test func sentCodeStaysValidAfterAnotherAddress() async throws {
        let ben = try await server.person("Ben")
        try await enter()
        try await enter("foo@example.org")
        #expect(await refusal { try await confirm(emails[0].code) }?.field == "code")
        try await enter("ada@example.org", ben)
        #expect(await refusal { try await confirm(emails[0].code, ben) }?.field == "code")
        #expect(try await enter().unverifiedAddress == "ada@example.org")
        #expect(emails.count == 2, "No second message goes to the mailbox.")
        #expect(try await confirm(emails[0].code).address == "ada@example.org")
    }

    /// Somebody with the unlocked phone could use up the code for the owner's former address.
    @Test func formerAddressGetsANewCodeADay() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        try await enter("thief@example.com")
        _ = try await confirm(emails[1].code)
        try await enter()
        let wrong = emails[2].code == "111111" ? "111112" : "111111"
        for _ in 0..<10 { _ = await refusal { try await confirm(wrong) } }
        try await enter("foo@example.org")
        server.clock.pass(.days(1) - .milliseconds(1))
        try await enter()
        #expect(emails.count == 4, "The mailbox got a message within the last day.")
        server.clock.pass(.milliseconds(1))
        try await enter()
        #expect(emails.count == 5)
        #expect(try await confirm(emails[4].code).address == "ada@example.org")
    }

    @Test func newsNamesTheNewAddressAndTheSession() async throws {
        let thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        try await enter()
        _ = try await confirm(emails[0].code)
        _ = try await server.news(of: ada)
        try await enter("thief@example.com", thief)
        _ = try await confirm(emails[1].code, thief)
        let item = try #require(try await server.newsItems(of: ada).first)
        #expect(item.title == "Your e-mail address was replaced")
        #expect(item.body.hasPrefix("E-mail now goes to thief@example.com. "))
        #expect(item.sessionID == thief.caller.sessionID)
        #expect(item.shown(to: thief.caller.sessionID)?.body == item.body)
    }

    @Test func aNetworkHasALimitToo() async throws {
        for index in 0..<20 {
            let person = try await server.person("P\(index)")
            try await enter("b\(index)@example.org", person, from: "198.51.100.7")
        }
        let last = try await server.person("Last")
        let refused = await refusal {
            try await enter("b@example.org", last, from: "198.51.100.7")
        }
        #expect(refused?.retryAfter != nil)
        try await enter("b@example.org", last, from: "198.51.100.8")
    }

    @Test func alertsAreMailedButPingsAreNot() async throws {
        let ben = try await server.person("Ben")
        try await enter("ben@example.org", ben)
        _ = try await confirm(emails[0].code, ben)
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let ledger = try await server.alert(alert, seenBy: ada).ledger
        #expect(ledger.contains { $0.channel == .email && $0.name == "Ben" })
        #expect(!ledger.contains { $0.channel == .email && $0.name == "Ada" })
    }

    @Test func mailedLinkStopsMessages() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        let link = try link()
        #expect(
            try await server.network.emailAddresses.unsubscribe(String(link.dropLast()) + "-")
                == false)
        #expect(try await status().address != nil)
        for _ in 0..<2 { #expect(try await server.network.emailAddresses.unsubscribe(link)) }
        #expect(try await status() == EmailStatus())
        let told = try await server.news(of: ada).filter { $0 == "You get no more e-mail" }
        #expect(told.count == 1)
    }

    /// A thief could mute the news before adding an address.
    @Test func addedAndStoppedAddressIsAnnouncedDespiteMuting() async throws {
        try await server.muteAll(of: ada)
        _ = try await server.news(of: ada)
        try await enter()
        _ = try await confirm(emails[0].code)
        #expect(try await server.news(of: ada) == ["Your e-mail address was added"])
        #expect(try await server.network.emailAddresses.unsubscribe(link()))
        #expect(try await server.news(of: ada) == ["You get no more e-mail"])
    }

    @Test func mailedLinkKeepsTheAddressThatAwaitsItsCode() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        let link = try link()
        try await enter("ada@example.com")
        #expect(try await server.network.emailAddresses.unsubscribe(link))
        #expect(try await status() == EmailStatus(unverifiedAddress: "ada@example.com"))
        // A second press finds no confirmed address.
        #expect(try await server.network.emailAddresses.unsubscribe(link))
        #expect(try await confirm(emails[1].code).address == "ada@example.com")
    }

    @Test func ownersRemovalIncludesTheAddressThatAwaitsItsCode() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        try await enter("ada@example.com")
        try await server.network.emailAddresses.deleteEmailAddress(of: ada.caller)
        #expect(try await status() == EmailStatus())
        #expect(await refusal { try await confirm(emails[1].code) }?.field == "code")
    }

    @Test func theLinkOfAnEarlierAddressChangesNothing() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        #expect(try await server.network.emailAddresses.unsubscribe(link("ada@example.com")))
        #expect(try await status().address == "ada@example.org")
    }

    @Test func oldLinkDoesNotStopAReaddedAddress() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        let link = try link()
        #expect(try await server.network.emailAddresses.unsubscribe(link))
        server.clock.pass(.days(1))
        try await enter()
        let addresses = server.network.emailAddresses
        #expect(try await addresses.unsubscribeView(link)?.isOutdated == false)
        _ = try await confirm(emails[1].code)
        #expect(try await addresses.unsubscribeView(link)?.isOutdated == true)
        #expect(try await addresses.unsubscribeView(self.link())?.isOutdated == false)
        #expect(try await addresses.unsubscribe(link))
        #expect(try await status().address == "ada@example.org")
    }

    /// Returns the link in a message that is sent now.
    private func link(_ address: String = "ada@example.org") throws -> String {
        UnsubscribeToken(
            user: ada.id.uuid, address: address, verifiedAt: server.clock.now, key: try key()
        ).text(key: try key())
    }

    @Test(arguments: [
        (EndpointNews.gone, "E-mail does not reach you"),
        (.givenUp, "Your e-mail address was removed"),
    ])
    func ownerIsToldOfADeadMailboxDespiteMuting(
        news: EndpointNews, title: String
    ) async throws {
        _ = try await server.network.notifications.setPreferences(
            try NotificationPreferences(muted: [.system]), of: ada.caller)
        try await server.engine.write(about: .none) { [server, ada] in
            try server.network.emailAddresses.notifyOwner(ofEmail: ada.id, news, in: $0)
        }
        #expect(try await server.news(of: ada) == [title])
    }

    @Test func deletionRemovesTheAddress() async throws {
        try await enter()
        _ = try await confirm(emails[0].code)
        try await server.deleteAccount(ada)
        let rows = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM email_addresses", [])
        }
        #expect(rows == 0)
    }

    @Test func addressIsRefusedWithoutMail() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let refused = await refusal {
            try await server.network.emailAddresses.setEmailAddress(
                EmailAddress("ada@example.org"), from: "192.0.2.1", of: ada.caller)
        }
        guard case .unavailable = refused else { throw TestError() }
    }

    private struct TestError: Error {}
}
