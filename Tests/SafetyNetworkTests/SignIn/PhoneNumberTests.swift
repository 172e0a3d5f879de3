import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct PhoneNumberTests {
    private let next: @Sendable () throws -> PhoneNumber = { try PhoneNumber("+493012345678") }

    @Test func anAccountMovesToAnotherNumber() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let code = try await server.code(for: next())
        #expect(
            try await server.network.phoneNumberChange.changePhoneNumber(
                to: next(), code: code, of: ada.caller
            )
            .phoneNumber == next())
        #expect(try await server.contact(ada, seenBy: ben)?.phoneNumber == next())
        #expect(
            try await server.events(of: ben).contains(.contactChanged(.init(contactID: ada.id))))
        #expect(try await server.signIn(next(), as: "Ada").id == ada.id)
        server.clock.pass(.hours(1))
        #expect(try await server.signIn(ada.number, as: "Someone").id != ada.id)
    }

    @Test func repeatAfterALostAnswerSucceeds() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let code = try await server.code(for: next())
        for _ in 1...2 {
            let profile = try await server.network.phoneNumberChange.changePhoneNumber(
                to: next(), code: code, of: ada.caller)
            #expect(try profile.phoneNumber == next())
        }
        #expect(server.environment.texts(on: ada.number) == [NotificationText.numberLeft])
        #expect(try await server.news(of: ada) == ["Your phone number was changed"])
        // The code was used, so it moves the account nowhere else.
        let other = try PhoneNumber("+493012345679")
        #expect(
            await refusal {
                try await server.network.phoneNumberChange.changePhoneNumber(
                    to: other, code: code, of: ada.caller)
            }?.isUnauthenticated == true)
    }

    @Test func moveNeedsTheNewNumbersCode() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let own = try await server.code(for: ada.number)
        #expect(
            await refusal {
                try await server.network.phoneNumberChange.changePhoneNumber(
                    to: next(), code: own, of: ada.caller)
            }?.isUnauthenticated == true)
        let code = try await server.code(for: next())
        let wrong = code == "111111" ? "111112" : "111111"
        for _ in 1...5 {
            #expect(
                await refusal {
                    try await server.network.phoneNumberChange.changePhoneNumber(
                        to: next(), code: wrong, of: ada.caller)
                }?.isUnauthenticated == true)
        }
        #expect(
            await refusal {
                try await server.network.phoneNumberChange.changePhoneNumber(
                    to: next(), code: code, of: ada.caller)
            }?.isUnauthenticated == true)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
    }

    @Test func numberChangeIsAnnouncedToAllConcerned() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.person("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        try await server.connect(ben, watchesOver: ada)
        // A contact would call a number that another person may have.
        for person in [ada, ben] {
            try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: [.system]), of: person.caller)
        }
        let code = try await server.code(for: next())
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: next(), code: code, of: ada.caller)
        #expect(server.environment.texts(on: ada.number) == [NotificationText.numberLeft])
        #expect(try server.environment.texts(on: next()).isEmpty)
        #expect(try await server.news(of: ada) == ["Your phone number was changed"])
        let news = try await server.newsItems(of: ben)
        #expect(
            news.map(\.title) == ["Ada has a new phone number"]
                && news.map(\.aboutUserID) == [ada.id])
        #expect(try await server.news(of: cleo).isEmpty)
    }

    /// The other devices and the e-mail offer to end the session that has changed the number.
    @Test func newsOfTheChangeNamesNumberAndSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        _ = try await server.news(of: ada)
        let new = try next()
        let code = try await server.code(for: new)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: new, code: code, of: thief.caller)
        let item = try #require(try await server.newsItems(of: ada).first)
        let thiefs = thief.caller.sessionID
        #expect(item.title == "Your phone number was changed" && item.sessionID == thiefs)
        #expect(item.body.hasPrefix("Your account moved to \(new),"))
        // The device that may have been used shows the news, too.
        #expect(item.shown(to: thiefs)?.body == item.body)
        #expect(item.shown(to: thiefs)?.sessionID == nil)
    }

    /// The text may use twice a person's share, like the begin of an alert.
    @Test(arguments: [(19, true), (20, false)])
    func textToTheFormerNumberNeedsABudget(used: Int, isSent: Bool) async throws {
        let budgets = Budgets(sms: Budget(total: nil, perUser: 10), voice: .unlimited)
        let server = try TestServer(options: { $0.budgets = budgets })
        let ada = try await server.person("Ada")
        let code = try await server.code(for: next())
        try await server.engine.write(about: Subjects([ada.id])) { transaction in
            for _ in 1...used {
                _ = try transaction.spend(.alertBegin, on: .sms, by: ada.id, budgets)
            }
        }
        let profile = try await server.network.phoneNumberChange.changePhoneNumber(
            to: next(), code: code, of: ada.caller)
        #expect(try profile.phoneNumber == next())
        let texts = server.environment.texts(on: ada.number)
        #expect(texts == (isSent ? [NotificationText.numberLeft] : []))
    }

    /// A request is no relation yet.
    @Test func askedPersonIsNotToldOfTheNewNumber() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.ask(ben, toWatchOver: ada)
        let code = try await server.code(for: next())
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: next(), code: code, of: ada.caller)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func refusedOrEmptyChangeIsNotAnnounced() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let own = try await server.code(for: ada.number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: ada.number, code: own, of: ada.caller)
        let code = try await server.code(for: ben.number)
        #expect(
            await refusal {
                try await server.network.phoneNumberChange.changePhoneNumber(
                    to: ben.number, code: code, of: ada.caller)
            } != nil)
        #expect(
            server.environment.texts(on: ada.number).isEmpty
                && server.environment.texts(on: ben.number).isEmpty)
        for person in [ada, ben] { #expect(try await server.news(of: person).isEmpty) }
    }

    @Test func theTextFitsIntoOneMessage() {
        #expect(
            NotificationText.numberLeft.count <= 160
                && NotificationText.numberLeft.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func anothersNumberIsTaken() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let code = try await server.code(for: ben.number)
        #expect(
            await refusal {
                try await server.network.phoneNumberChange.changePhoneNumber(
                    to: ben.number, code: code, of: ada.caller)
            }?.isAlreadyExists == true)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
        #expect(try await server.profile(ben).phoneNumber == ben.number)
    }
}
