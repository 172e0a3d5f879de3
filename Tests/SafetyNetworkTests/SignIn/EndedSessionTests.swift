import Domain
import Foundation
import Persistence
import SoftPasskey
import Testing

@testable import SafetyNetwork

/// The server reads a request's token before its body. Meanwhile, another device may end the
/// session.
@Suite struct EndedSessionTests {
    private let server: TestServer
    private let ada: Person
    private let tablet: Person
    /// Ada's responder.
    private let ben: Person
    private let cleo: Person
    /// Has asked Ada to be her responder.
    private let dora: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        ada = try await server.person("Ada")
        tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        dora = try await server.person("Dora")
        try await server.connect(ben, watchesOver: ada)
        try await server.ask(ada, toWatchOver: dora)
    }

    /// What gives somebody access or a say after the session's end.
    enum Act: CaseIterable, Sendable {
        case addPasskey, renamePasskey, removePasskey, addSource, makeCodes, turnLockOn, turnLockOff
        case changeNumber, setEmail, confirmEmail
        case addContact, changeRoles, acceptRequest, invite, unblock, renewCode
    }

    private func addPasskey(by caller: Caller) async throws -> Passkey {
        let passkeys = server.network.passkeys
        let request = try await passkeys.requestForNewPasskey(of: caller)
        return try await passkeys.add(
            SoftPasskey().registration(request.challenge), name: "Phone", of: caller)
    }

    private func perform(_ act: Act, by caller: Caller) async throws {
        let network = server.network
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let address = try EmailAddress("ada@example.org")
        switch act {
        case .addPasskey: _ = try await addPasskey(by: caller)
        case .renamePasskey:
            let passkey = try await addPasskey(by: ada.caller)
            _ = try await network.passkeys.rename(passkey.id, to: "Tablet", of: caller)
        case .removePasskey:
            let passkey = try await addPasskey(by: ada.caller)
            try await network.passkeys.remove(passkey.id, of: caller)
        case .addSource: _ = try await network.sources.add("Button", of: caller)
        case .makeCodes: _ = try await network.recovery.makeCodes(of: caller)
        case .turnLockOn: _ = try await network.signInLocks.turnOn(of: caller)
        case .turnLockOff: _ = try await network.signInLocks.turnOff(of: caller)
        case .changeNumber:
            let number = try PhoneNumber("+493012345678")
            let code = try await server.code(for: number)
            _ = try await network.phoneNumberChange.changePhoneNumber(
                to: number, code: code, of: caller)
        case .setEmail:
            _ = try await network.emailAddresses.setEmailAddress(
                address, from: "192.0.2.1", of: caller)
        case .confirmEmail:
            _ = try await network.emailAddresses.setEmailAddress(
                address, from: "192.0.2.1", of: ada.caller)
            let code = try #require(server.environment.emails.last?.code)
            _ = try await network.emailAddresses.confirmEmailAddress(code: code, of: caller)
        case .addContact:
            let shown = try await network.qrCodes.qrCode(of: cleo.caller)
            _ = try await network.contacts.addContact(
                code: try #require(QRCodeID(shown.id)), roles: roles, to: caller)
        case .changeRoles:
            _ = try await network.contacts.changeRoles(of: ben.id, to: roles, by: caller)
        case .acceptRequest:
            _ = try await network.contacts.acceptRequest(.dependent, from: dora.id, by: caller)
        case .invite:
            let number = try PhoneNumber("+442071838750")
            _ = try await network.invitations.invite("Mia", .number(number), by: caller)
        case .unblock:
            _ = try await network.blocks.block(ben.id, by: ada.caller)
            try await network.blocks.unblock(ben.id, by: caller)
        case .renewCode: _ = try await network.qrCodes.renewQRCode(of: caller)
        }
    }

    @Test(arguments: Act.allCases)
    func endedSessionGivesNoLastingAccess(act: Act) async throws {
        try await server.network.signIn.endSession(tablet.caller.sessionID, of: ada.caller)
        let error = await refusal { try await perform(act, by: tablet.caller) }
        #expect(error == CommandError.sessionOver)
        #expect(await refusal { try await perform(act, by: ada.caller) } == nil)
    }
}
