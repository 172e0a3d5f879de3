import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Phone numbers are stored with or without the national zero.
@Suite struct NumberFormTests {
    private let zero: PhoneNumber
    private let canonical: PhoneNumber
    private let server: TestServer

    init() throws {
        zero = try PhoneNumber("+49015112345613")
        canonical = try PhoneNumber("+4915112345613")
        server = try TestServer(options: { $0.isSMSAvailable = true })
    }

    private func pass() async throws -> NumberFormOutcome {
        let (zero, canonical) = (zero, canonical)
        return try await server.network.numberForms.canonicaliseNumbers {
            $0 == zero ? canonical : $0
        }
    }

    private func outcome(changed: Int, taken: Int) -> NumberFormOutcome {
        var outcome = NumberFormOutcome()
        (outcome.changed, outcome.taken) = (changed, taken)
        return outcome
    }

    @Test func canonicalNumberKeepsTheAccount() async throws {
        let (ada, ben) = (try await server.signIn(zero, as: "Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        #expect(try await pass() == outcome(changed: 1, taken: 0))
        #expect(try await server.profile(ada).phoneNumber == canonical)
        #expect(try await server.contact(ada, seenBy: ben)?.phoneNumber == canonical)
        #expect(
            try await server.events(of: ben).contains(.contactChanged(.init(contactID: ada.id))))
        server.clock.pass(.hours(1))
        #expect(try await server.signIn(canonical, as: "Ada").id == ada.id)
        let zero = zero
        #expect(try await server.engine.read { try $0.user(phoneNumber: zero) } == nil)
    }

    @Test func stopAppliesToTheCanonicalNumber() async throws {
        let ada = try await server.signIn(zero, as: "Ada")
        let id = ada.id
        try await server.engine.write(about: Subjects([id])) { transaction in
            if let user = try transaction.user(id) { try transaction.stopTexts(to: user) }
        }
        _ = try await pass()
        #expect(try await server.engine.read { try $0.user(id)?.smsStoppedAt } != nil)
    }

    @Test func twoAccountsOfOneNumberStayTwo() async throws {
        let (old, new) = (
            try await server.signIn(zero, as: "Ada"), try await server.signIn(canonical, as: "Ada")
        )
        #expect(try await pass() == outcome(changed: 0, taken: 1))
        #expect(try await server.profile(old).phoneNumber == zero)
        #expect(try await server.profile(new).phoneNumber == canonical)
        #expect(try await server.news(of: old) == ["Another account has your phone number"])
        #expect(try await server.news(of: new).isEmpty)
    }

    /// A blocked person must not escape the block by adding a zero to the number.
    @Test func blockAppliesToEveryFormOfTheNumber() async throws {
        let (ada, mal) = (try await server.armed("Ada"), try await server.signIn(zero, as: "Mal"))
        let other = try await server.signIn(canonical, as: "Mal")
        try await server.connect(mal, watchesOver: ada)
        _ = try await server.network.blocks.block(mal.id, by: ada.caller)
        _ = try await pass()
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        for person in [mal, other] {
            let refused = await refusal {
                try await server.network.contacts.addContact(
                    code: code, roles: .shown(isResponder: false, isDependent: true),
                    to: person.caller)
            }
            #expect(refused?.isNotFound == true)
        }
    }

    @Test func invitationIsConvertedAndNotResent() async throws {
        let ada = try await server.person("Ada")
        _ = try await server.network.invitations.invite("Mia", .number(zero), by: ada.caller)
        #expect(server.environment.texts(on: zero).count == 1)
        _ = try await pass()
        let moved = try await server.network.invitations.invitations(of: ada.caller)
        #expect(moved.map(\.phoneNumber) == [canonical.text])
        let ben = try await server.person("Ben")
        _ = try await server.network.invitations.invite("Mia", .number(canonical), by: ben.caller)
        #expect(server.environment.texts(on: canonical).isEmpty)
    }

    /// START comes from the canonical number.
    @Test(arguments: [true, false]) func startLiftsAConvertedStop(starts: Bool) async throws {
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let answers = server.network.textAnswers
        _ = try await answers.receiveText("STOP", from: zero)
        _ = try await server.network.invitations.invite("Mia", .number(zero), by: ada.caller)
        #expect(server.environment.texts(on: zero).isEmpty)
        _ = try await pass()
        if starts { _ = try await answers.receiveText("START", from: canonical) }
        _ = try await server.network.invitations.invite("Mia", .number(canonical), by: ben.caller)
        #expect(server.environment.texts(on: canonical).count == (starts ? 1 : 0))
    }

    @Test func conversionRunsOnce() async throws {
        #expect(try await pass() == NumberFormOutcome())
        _ = try await server.signIn(zero, as: "Ada")
        #expect(try await pass() == NumberFormOutcome())
    }
}
