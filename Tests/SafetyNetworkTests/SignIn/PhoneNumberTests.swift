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
        #expect(try await town.network.changePhoneNumber(to: next(), code: code, of: ada.caller).phoneNumber == next())
        #expect(try await town.contact(ada, seenBy: ben)?.phoneNumber == next())
        #expect(try await town.events(of: ben).last == .contactChanged(.init(contactID: ada.id)))
        #expect(try await town.signIn(next(), as: "Ada").id == ada.id)
        town.clock.pass(.hours(1))
        #expect(try await town.signIn(ada.number, as: "Somebody").id != ada.id)
    }

    @Test func itTakesTheCodeThatWasSentThere() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let own = try await town.code(for: ada.number)
        #expect(await refusal { try await town.network.changePhoneNumber(to: next(), code: own, of: ada.caller) }?.isUnauthenticated == true)
        let code = try await town.code(for: next())
        let wrong = code == "111111" ? "111112" : "111111"
        for _ in 1...5 {
            #expect(await refusal { try await town.network.changePhoneNumber(to: next(), code: wrong, of: ada.caller) }?.isUnauthenticated == true)
        }
        #expect(await refusal { try await town.network.changePhoneNumber(to: next(), code: code, of: ada.caller) }?.isUnauthenticated == true)
        #expect(try await town.profile(ada).phoneNumber == ada.number)
    }

    @Test func anothersNumberIsTaken() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let code = try await town.code(for: ben.number)
        #expect(await refusal { try await town.network.changePhoneNumber(to: ben.number, code: code, of: ada.caller) }?.isAlreadyExists == true)
        #expect(try await town.profile(ada).phoneNumber == ada.number)
        #expect(try await town.profile(ben).phoneNumber == ben.number)
    }
}
