import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// What an administrator sees and does (product.md, "Administrators").
@Suite struct AdministrationTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    private var administration: Administration { server.network.administration }

    init() async throws {
        server = try TestServer(hasBystanders: false)
        (ada, ben) = (try await server.armed("Ada Lovelace"), try await server.person("Ben"))
    }

    // MARK: People

    @Test func everyoneIsListedPageByPage() async throws {
        let first = try await administration.people(nil, limit: 1)
        let next = try #require(first.next)
        let second = try await administration.people(nil, after: next, limit: 1)
        let found = first.people + second.people
        #expect(Set(found.map(\.id)) == [ada.id, ben.id])
        #expect(found.map(\.phoneNumber.text) == found.map(\.phoneNumber.text).sorted())
        let last = try #require(second.next)
        let third = try await administration.people(nil, after: last, limit: 1)
        #expect(third.people.isEmpty && third.next == nil)
    }

    @Test(arguments: ["ada", "ADA LOVE", "love", "Ada Lovelace", "Áda"])
    func nameIsFoundByTheBeginningOfAWord(search: String) async throws {
        #expect(try await administration.people(search).people.map(\.id) == [ada.id])
    }

    @Test(arguments: ["da", "lace", "Ada  Ben", "\u{0}"])
    func otherPartsOfANameAreNotFound(search: String) async throws {
        #expect(try await administration.people(search).people.isEmpty)
    }

    @Test func renamedPersonIsFoundByTheNewNameOnly() async throws {
        _ = try await server.network.profiles.updateProfile(
            name: "Éva Müller", emergencyNote: nil, of: ada.caller)
        #expect(try await administration.people("eva mu").people.map(\.id) == [ada.id])
        #expect(try await administration.people("muller").people.map(\.id) == [ada.id])
        #expect(try await administration.people("ada").people.isEmpty)
    }

    @Test func numberIsFoundByItsBeginning() async throws {
        let text = ada.number.text
        #expect(try await administration.people(text).people.map(\.id) == [ada.id])
        let typed = "00 \(text.dropFirst().prefix(6))"
        let all = try await administration.people(typed).people.map(\.id)
        #expect(Set(all) == [ada.id, ben.id])
        let dashed = "\(text.prefix(5))-\(text.dropFirst(5))"
        #expect(try await administration.people(dashed).people.map(\.id) == [ada.id])
    }

    @Test func nameWithTwoMatchesIsListedOnce() async throws {
        _ = try await server.network.profiles.updateProfile(
            name: "Ben Benson", emergencyNote: nil, of: ben.caller)
        #expect(try await administration.people("ben").people.map(\.id) == [ben.id])
    }

    @Test(arguments: [1, 3, 16]) func plusSignMayBeLeftOut(length: Int) async throws {
        let digits = String(ada.number.text.dropFirst().prefix(length))
        let found = try await administration.people(digits).people.map(\.id)
        #expect(found.contains(ada.id))
        let other = digits.hasPrefix("9") ? "8" : "9"
        #expect(try await administration.people(other).people.isEmpty)
    }

    @Test(arguments: ["0171", "0", "+1+5", "1+5", "+12345678901234567", "1234567890123456"])
    func numberNeedsACountryCode(search: String) async throws {
        let error = await refusal { try await administration.people(search) }
        #expect(error?.field == "search")
    }

    @Test(arguments: ["", "x", "!!.00000000-0000-4000-8000-000000000001"])
    func invalidCursorIsRefused(cursor: String) async throws {
        let error = await refusal { try await administration.people(nil, after: cursor) }
        #expect(error?.field == "after")
    }

    @Test(arguments: [0, 201]) func pageHasLimits(limit: Int) async throws {
        let error = await refusal { try await administration.people(nil, limit: limit) }
        #expect(error?.field == "limit")
    }

    @Test func standardPageHas50Entries() async throws {
        for number in 1...51 {
            try await administration.record(.test, reason: "Test \(number)", by: "root")
        }
        #expect(try await administration.log(about: nil).entries.count == 50)
    }

    @Test func personIsShownWithoutNotes() async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: "Diabetic", of: ada.caller)
        let alert = try await server.raiseAlert(ada).typedID
        let found = try await administration.person(ada.number.text)
        #expect(found.person.id == ada.id && found.person.status == .alertActive)
        #expect(found.responders == 1 && found.reachableResponders == 0 && found.sessions == 1)
        #expect(found.openAlerts == [alert])
        #expect(found.acts.isEmpty && found.move == nil)
        let text = String(decoding: try WireJSON.encoder().encode(found), as: UTF8.self)
        #expect(!text.contains("Diabetic"))
        #expect(try await administration.person("\(ada.id)") == found)
    }

    @Test func unknownPersonIsNotFound() async throws {
        for number in ["+15559999999", "\(server.environment.id() as UserID)"] {
            let error = await refusal { try await administration.person(number) }
            #expect(error?.isNotFound == true)
        }
        #expect(await refusal { try await administration.person("Ada") }?.field == "number")
    }

    @Test func guestIsNotFound() async throws {
        let server = try TestServer(hasBystanders: false) { $0.isSMSAvailable = true }
        let (administration, ada) = (server.network.administration, try await server.person("Ada"))
        let number = try PhoneNumber("+442071838750")
        let mia = try await server.guest("Mia", number, of: ada)
        for text in [number.text, "\(mia.id)"] {
            let error = await refusal {
                try await administration.lock(text, reason: "Spam", by: "root")
            }
            #expect(error?.isNotFound == true)
        }
        #expect(try await administration.people("mia").people.isEmpty)
    }

    @Test func testMessageGoesToEndpointsOnly() async throws {
        let server = try TestServer(hasBystanders: false) { $0.isSMSAvailable = true }
        let ada = try await server.person("Ada")
        func test() async throws -> AdminDone {
            try await server.network.administration.testPush(to: ada.number.text, pause: .zero)
        }
        let none = try await test()
        #expect(none.message.hasPrefix("No message was sent") && none.isRefused == true)
        try await server.muteAll(of: ada)
        let hook = try #require(URL(string: "https://hooks.example"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: hook, of: ada.caller)
        #expect(try await test() == AdminDone(message: "webhook: queued.", isRefused: true))
        let channels: [String] = try await server.engine.read {
            try $0.values(
                "SELECT channel FROM deliveries WHERE purpose = 'test' ORDER BY channel", [])
        }
        #expect(channels == ["stream", "webhook"])
    }

    // MARK: What is stuck

    @Test func alertIsStuckAfterAMinute() async throws {
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        server.clock.pass(.milliseconds(59_999))
        #expect(try await administration.stuck().alerts.isEmpty)
        server.clock.pass(.milliseconds(1))
        let stuck = try await administration.stuck()
        #expect(stuck.alerts.map(\.id) == [id])
        #expect(stuck.people == [ada.id] && stuck.next == nil)
        #expect(stuck.peopleWithAlert == [ada.id])
        _ = try await server.endAlert(alert, ada)
        let ended = try await administration.stuck()
        #expect(ended.alerts.isEmpty && ended.peopleWithAlert == [])
    }

    @Test func reachableResponderIsHelp() async throws {
        let server = try TestServer(hasBystanders: false) { $0.isSMSAvailable = true }
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        #expect(try await server.network.administration.stuck().people == [ada.id])
        try await server.connect(ben, watchesOver: ada)
        #expect(try await server.network.administration.stuck().people.isEmpty)
    }

    @Test func alertShowsItsLedgerWithoutTheNote() async throws {
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let shown = try await administration.alert(alert.id)
        #expect(shown.id == alert.id && shown.note == nil)
        #expect(shown.ledger.contains { $0.recipientId == ben.id.description })
        #expect(await refusal { try await administration.alert("1") }?.field == "id")
        let unknown = "\(server.environment.id() as AlertID)"
        #expect(await refusal { try await administration.alert(unknown) }?.isNotFound == true)
    }

    @Test func alertHidesWhereSomebodyGoes() async throws {
        try await server.connect(ben, watchesOver: ada)
        let draft = JourneyDraft(
            id: server.environment.id(), name: "Zugspitze",
            expectedReturn: server.clock.now.adding(.hours(1)), graceMinutes: 0,
            note: "In the red car")
        _ = try await server.network.journeys.start(draft, of: ada.caller)
        try await server.pass(.hours(1))
        let alert = try #require(try await server.openAlert(ada))
        #expect(try await server.alert(alert, seenBy: ada).note == "In the red car")
        let shown = try await administration.alert(alert.id)
        #expect(shown.kind == .journey && shown.note == nil && shown.journey == nil)
        #expect(try await administration.person("\(ada.id)").person.status == .alertActive)
    }

    @Test func alertHidesWhatPeopleDid() async throws {
        let cleo = try await server.person("Cleo")
        for person in [ben, cleo] { try await server.connect(person, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        let (id, responding) = (try alert.typedID, server.network.responding)
        func isHidden() async throws -> Bool {
            let shown = try await administration.alert(alert.id)
            return shown.acknowledgement == nil && shown.report == nil && shown.ending == nil
                && shown.refusals == nil && shown.isRefusedByAll == nil && shown.history.isEmpty
                && !shown.ledger.isEmpty
        }
        for person in [ben, cleo] { _ = try await responding.declineAlert(id, by: person.caller) }
        #expect(try await server.alert(alert, seenBy: ada).isRefusedByAll == true)
        #expect(try await isHidden())
        server.clock.pass(.seconds(1))
        #expect(try await server.acknowledge(alert, ben).acknowledgement != nil)
        #expect(try await isHidden())
        server.clock.pass(.seconds(1))
        _ = try await responding.report(.withThem, on: id, by: ben.caller)
        let seen = try await server.alert(alert, seenBy: ada)
        #expect(seen.report != nil && !seen.history.isEmpty)
        #expect(try await isHidden())
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.alert(alert, seenBy: ada).ending != nil)
        #expect(try await isHidden())
        #expect(try await !administration.alert(alert.id).isActive)
    }

    // MARK: Locks

    @Test func lockIsToldLoggedAndLifted() async throws {
        _ = try await server.news(of: ada)
        let before = try await server.events(of: ada).count
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        #expect(try await server.events(of: ada).dropFirst(before).contains(.profileChanged))
        #expect(try await server.profile(ada).lockedAt == server.clock.now)
        #expect(
            await refusal { try await server.network.accountLocks.check(ada.caller) }
                == .accountLocked)
        try await server.network.accountLocks.check(ben.caller)
        #expect(try await server.news(of: ada) == ["Your account was locked"])
        let again = await refusal {
            try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        }
        #expect(again?.isAlreadyExists == true)
        server.clock.pass(.hours(1))
        _ = try await administration.unlock(ada.number.text, reason: "Sorry", by: "root")
        #expect(try await server.profile(ada).lockedAt == nil)
        try await server.network.accountLocks.check(ada.caller)
        let unlocked = await refusal {
            try await administration.unlock(ada.number.text, reason: "Sorry", by: "root")
        }
        #expect(unlocked?.isNotFound == true)
        let acts = try await administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.unlock, .lock] && acts.map(\.reason) == ["Sorry", "Spam"])
        #expect(acts.allSatisfy { $0.doneBy == "root" })
        #expect(try await administration.acts(about: ben.caller).isEmpty)
        #expect(try await server.export(of: ada).administration == acts)
    }

    @Test(arguments: ["", "  ", "two\nlines", String(repeating: "a", count: 301)])
    func changeNeedsAReason(reason: String) async throws {
        let error = await refusal {
            try await administration.lock(ada.number.text, reason: reason, by: "root")
        }
        #expect(error?.field == "reason")
        #expect(try await server.profile(ada).lockedAt == nil)
        #expect(try await administration.log(about: nil).entries.isEmpty)
    }

    @Test func lockedPersonChecksInAndCallsForHelp() async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        try await server.checkIn(ada)
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.alert(alert, seenBy: ben).isActive)
        #expect(try await !server.endAlert(alert, ada).isActive)
    }

    @Test func lockedPersonEndsRolesAndAddsNone() async throws {
        let contacts = server.network.contacts
        let both = try ContactRoles(isResponder: true, isDependent: true)
        let responder = try ContactRoles(isResponder: true, isDependent: false)
        let dependent = try ContactRoles(isResponder: false, isDependent: true)
        try await server.connect(ben, watchesOver: ada, mutually: true)
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        let ended = try await contacts.changeRoles(of: ben.id, to: responder, by: ada.caller)
        #expect(ended.isResponder && !ended.isDependent)
        // A new request is refused, even if the other role ends with it.
        for roles in [both, dependent] {
            let error = await refusal {
                try await contacts.changeRoles(of: ben.id, to: roles, by: ada.caller)
            }
            #expect(error == .accountLocked)
        }
        // Accepting Ben's request would begin a role.
        _ = try await contacts.changeRoles(of: ada.id, to: both, by: ben.caller)
        let error = await refusal {
            try await contacts.changeRoles(of: ben.id, to: both, by: ada.caller)
        }
        #expect(error == .accountLocked)
        let acceptance = await refusal {
            try await contacts.acceptRequest(.dependent, from: ben.id, by: ada.caller)
        }
        #expect(acceptance == .accountLocked)
        // The other role is in force, so that accepting it changes nothing.
        let present = try await contacts.acceptRequest(.responder, from: ben.id, by: ada.caller)
        #expect(present.isResponder && !present.isDependent)
        _ = try await administration.unlock(ada.number.text, reason: "Sorry", by: "root")
        let accepted = try await contacts.acceptRequest(
            .dependent, from: ben.id, by: ada.caller)
        #expect(accepted.isResponder && accepted.isDependent)
    }

    @Test func lockedPersonsCodeAddsNobody() async throws {
        let contacts = server.network.contacts
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        let error = await refusal {
            try await contacts.addContact(code: code, roles: roles, to: ben.caller)
        }
        #expect(error?.reason == .codeHeld)
        #expect(try await contacts.contacts(of: ada.caller).isEmpty)
        _ = try await administration.unlock(ada.number.text, reason: "Sorry", by: "root")
        let added = try await contacts.addContact(code: code, roles: roles, to: ben.caller)
        #expect(added.id == ada.id)
    }

    @Test func lockedPersonTakesTheNoteBack() async throws {
        let profiles = server.network.profiles
        _ = try await profiles.updateProfile(
            name: "Ada", emergencyNote: "Diabetic", of: ada.caller)
        _ = try await administration.lock(ada.number.text, reason: "Spam", by: "root")
        let hidden = try await profiles.updateProfile(
            name: nil, emergencyNote: nil, leavesNoteOutOfCopy: true, of: ada.caller)
        #expect(hidden.leavesNoteOutOfCopy == true && hidden.emergencyNote == "Diabetic")
        // The apps send the present name with the note.
        let cleared = try await profiles.updateProfile(
            name: "Ada", emergencyNote: "", of: ada.caller)
        #expect(cleared.emergencyNote == "")
        let more: [(String?, String?, Bool?)] = [
            ("Mia", nil, nil), ("Mia", "", nil), (nil, "Insulin", nil), (nil, nil, false),
        ]
        for (name, note, leavesOut) in more {
            let error = await refusal {
                try await profiles.updateProfile(
                    name: name, emergencyNote: note, leavesNoteOutOfCopy: leavesOut,
                    of: ada.caller)
            }
            guard case .accountLocked = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    // MARK: Tokens

    @Test func linkForAnAccountIsToldAndLogged() async throws {
        _ = try await server.news(of: ada)
        let made = try await administration.invite(
            ada.number, uses: 1, days: 7, note: "", reason: "Lost the phone", by: "root")
        #expect(try await server.news(of: ada) == ["A link signs in to your account"])
        server.clock.pass(.hours(1))
        _ = try await administration.revoke("\(made.id)", reason: "Not asked", by: "root")
        let acts = try await administration.acts(about: ada.caller)
        #expect(acts.map(\.kind) == [.revoke, .invite])
        #expect(acts.map(\.reason) == ["Not asked", "Lost the phone"])
    }

    @Test func linkForANewNumberTellsNobody() async throws {
        let number = try PhoneNumber("+15559990003")
        for number in [number, nil] {
            _ = try await administration.invite(
                number, uses: 1, days: 7, note: "", reason: "Village", by: "root")
        }
        let log = try await administration.log(about: nil).entries
        #expect(log.map(\.act.kind) == [.invite, .invite] && log.map(\.person) == [nil, nil])
    }

    /// A token without an entry in the log would be one that nobody answers for.
    @Test func refusedLinkLeavesNoToken() async throws {
        let error = await refusal {
            try await administration.invite(
                ada.number, uses: 1, days: 7, note: "", reason: " ", by: "root")
        }
        #expect(error?.field == "reason")
        #expect(try await server.network.signUpTokens.list().isEmpty)
    }

    @Test func linkThatWouldAdmitNobodyIsRefused() async throws {
        let server = try TestServer(hasBystanders: false, options: { $0.sendsCodes = false })
        let number = try PhoneNumber("+15559990003")
        func invite(_ number: PhoneNumber?) async -> CommandError? {
            await refusal {
                try await server.network.administration.invite(
                    number, uses: 1, days: 7, note: "", reason: "Village", by: "root")
            }
        }
        #expect(await invite(nil)?.field == "number")
        #expect(await invite(number) == nil)
        #expect(try await server.network.signUpTokens.list().map(\.phoneNumber) == [number])
    }

    // MARK: Deletion

    @Test func deletionTellsContactsAndFreesTheNumber() async throws {
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.news(of: ben)
        _ = try await administration.delete(ada.number.text, reason: "Asked", by: "root")
        #expect(try await server.news(of: ben) == ["Ada Lovelace is no longer on LifeSignal"])
        #expect(
            await refusal { try await server.network.signIn.authenticate(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(try await administration.people("ada").people.isEmpty)
        let again = try await server.signIn(ada.number, as: "Ada")
        #expect(again.id != ada.id)
        // The log keeps the act, without the person.
        let log = try await administration.log(about: nil).entries
        #expect(log.map(\.act.kind) == [.delete] && log.map(\.person) == [nil])
    }

    @Test(arguments: [true, false])
    func deletionIsToldToNumberAndAddress(hasStoppedTexts: Bool) async throws {
        let server = try TestServer(options: { $0.isEmailAvailable = true })
        let ada = try await server.person("Ada")
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("ada@example.org"), from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: ada.caller)
        if hasStoppedTexts { try await server.network.textAnswers.stopTexts(to: ada.number) }
        _ = try await server.network.administration.delete(
            ada.number.text, reason: "Asked", by: "root")
        let text = NotificationText.accountDeletedText(signUp: .open)
        #expect(server.environment.texts(on: ada.number) == (hasStoppedTexts ? [] : [text]))
        #expect(text.count <= 160 && text.utf8.allSatisfy { $0 < 0x80 })
        let mail = try #require(server.environment.lastMails.last)
        #expect(mail.address == "ada@example.org" && mail.text.contains("Reason: Asked"))
        #expect(mail.text.contains("alerts no one for you any more"))
    }

    @Test(arguments: SignUpMode.allCases)
    func deletionSaysWhetherTheNumberCanReturn(mode: SignUpMode) async throws {
        var options = server.network.options
        options.signUp = mode
        let network = try server.makeNetwork(options)
        let done = try await network.administration.delete(
            ada.number.text, reason: "Asked", by: "root")
        let (answer, words): (String, String) =
            switch mode {
            case .open: ("can sign up again.", "sign up again if you need it")
            case .invited: ("needs an invitation", "needs an invitation")
            case .closed: ("can't sign up again", "takes no new accounts")
            }
        #expect(done.message.contains(answer))
        let text = NotificationText.accountDeletedText(signUp: mode)
        #expect(server.environment.texts(on: ada.number) == [text])
        #expect(text.contains(words) && text.count <= 160)
    }

    /// A command without a server may lack the setting that the server has.
    @Test func deletionWithoutTheSettingSaysNothingOfSignUp() async throws {
        var options = server.network.options
        options.knowsSignUp = false
        let network = try server.makeNetwork(options)
        let done = try await network.administration.delete(
            ada.number.text, reason: "Asked", by: "root")
        #expect(done.message == "Deleted. The contacts were told.")
        let text = try #require(server.environment.texts(on: ada.number).last)
        #expect(text.hasSuffix("any more. Tell your contacts."))
        let mail = NotificationText.lastMail(deletedFor: "Asked", signUp: nil).paragraphs
        #expect(mail.contains("Tell your contacts."))
    }
}
