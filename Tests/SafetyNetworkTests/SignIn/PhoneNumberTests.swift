import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct PhoneNumberTests {
    private let next: @Sendable () throws -> PhoneNumber = { try PhoneNumber("+493012345678") }

    @Test func anAccountMovesToAnotherNumber() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let code = try await town.code(for: next())
        #expect(
            try await town.network.changePhoneNumber(to: next(), code: code, of: ada.caller)
                .phoneNumber == next())
        #expect(try await town.contact(ada, seenBy: ben)?.phoneNumber == next())
        #expect(try await town.events(of: ben).contains(.contactChanged(.init(contactID: ada.id))))
        #expect(try await town.signIn(next(), as: "Ada").id == ada.id)
        town.clock.pass(.hours(1))
        #expect(try await town.signIn(ada.number, as: "Someone").id != ada.id)
    }

    @Test func itTakesTheCodeThatWasSentThere() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let own = try await town.code(for: ada.number)
        #expect(
            await refusal {
                try await town.network.changePhoneNumber(to: next(), code: own, of: ada.caller)
            }?.isUnauthenticated == true)
        let code = try await town.code(for: next())
        let wrong = code == "111111" ? "111112" : "111111"
        for _ in 1...5 {
            #expect(
                await refusal {
                    try await town.network.changePhoneNumber(
                        to: next(), code: wrong, of: ada.caller)
                }?.isUnauthenticated == true)
        }
        #expect(
            await refusal {
                try await town.network.changePhoneNumber(to: next(), code: code, of: ada.caller)
            }?.isUnauthenticated == true)
        #expect(try await town.profile(ada).phoneNumber == ada.number)
    }

    @Test func theOldNumberTheOwnSessionsAndTheContactsAreTold() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.person("Ada"), try await town.person("Ben"),
            try await town.person("Cleo")
        )
        try await town.connect(ben, watchesOver: ada)
        // Nobody can mute what concerns their own account.
        try await town.network.setPreferences(
            NotificationPreferences(muted: [.system]), of: ada.caller)
        let code = try await town.code(for: next())
        _ = try await town.network.changePhoneNumber(to: next(), code: code, of: ada.caller)
        #expect(town.world.texts(on: ada.number) == [NotificationText.numberLeft])
        #expect(try town.world.texts(on: next()).isEmpty)
        #expect(try await town.news(of: ada) == ["Your phone number was changed"])
        let news = try await town.newsItems(of: ben)
        #expect(
            news.map(\.title) == ["Ada has a new phone number"]
                && news.map(\.aboutUserID) == [ada.id])
        #expect(try await town.news(of: cleo).isEmpty)
    }

    @Test func aChangeThatIsRefusedOrNoneTellsNobody() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let own = try await town.code(for: ada.number)
        _ = try await town.network.changePhoneNumber(to: ada.number, code: own, of: ada.caller)
        let code = try await town.code(for: ben.number)
        #expect(
            await refusal {
                try await town.network.changePhoneNumber(to: ben.number, code: code, of: ada.caller)
            } != nil)
        #expect(
            town.world.texts(on: ada.number).isEmpty && town.world.texts(on: ben.number).isEmpty)
        for person in [ada, ben] { #expect(try await town.news(of: person).isEmpty) }
    }

    @Test func theTextFitsIntoOneMessage() {
        #expect(
            NotificationText.numberLeft.count <= 160
                && NotificationText.numberLeft.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func anothersNumberIsTaken() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let code = try await town.code(for: ben.number)
        #expect(
            await refusal {
                try await town.network.changePhoneNumber(to: ben.number, code: code, of: ada.caller)
            }?.isAlreadyExists == true)
        #expect(try await town.profile(ada).phoneNumber == ada.number)
        #expect(try await town.profile(ben).phoneNumber == ben.number)
    }
}
