import Cryptography
import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Who may open an account where not everyone may.
@Suite struct SignUpTests {
    private let server: TestServer
    private let invited: SafetyNetwork
    private let closed: SafetyNetwork
    private let stranger: PhoneNumber
    private let other: PhoneNumber

    init() throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        self.server = server
        func network(_ mode: SignUpMode) throws -> SafetyNetwork {
            var options = SafetyNetwork.Options(
                publicURL: try #require(URL(string: "https://lifesignal.example")))
            options.isSMSAvailable = true
            options.signUp = mode
            return try server.makeNetwork(options)
        }
        (invited, closed) = (try network(.invited), try network(.closed))
        (stranger, other) = (try PhoneNumber("+493020000001"), try PhoneNumber("+493020000002"))
    }

    /// Requests a code and returns it; nil if none was sent.
    private func code(
        for number: PhoneNumber, on network: SafetyNetwork,
        with invitation: SignUpInvitation = SignUpInvitation()
    ) async throws -> String? {
        let before = server.environment.codes(on: number).count
        let reply = try await network.codes.requestCode(
            for: number, from: "phone of \(number)", with: invitation)
        #expect(reply.needsCode)
        let codes = server.environment.codes(on: number)
        return codes.count > before ? codes.last : nil
    }

    private func signIn(
        _ number: PhoneNumber, on network: SafetyNetwork, token: Token
    ) async throws -> IssuedTokens {
        let code = try #require(
            try await code(for: number, on: network, with: SignUpInvitation(token: token.text)))
        return try await network.signIn.signIn(number, code: code, deviceName: "Phone")
    }

    private func reason(_ token: Token, _ number: PhoneNumber) async -> InvalidInputReason? {
        await refusal {
            try await invited.codes.requestCode(
                for: number, from: "phone of \(number)",
                with: SignUpInvitation(token: token.text))
        }?.reason
    }

    // MARK: Without a token

    @Test func strangersAnswerLooksLikeAnyOther() async throws {
        let ada = try await server.person("Ada")
        for network in [invited, closed] {
            #expect(try await code(for: stranger, on: network) == nil)
            #expect(try await code(for: ada.number, on: network) != nil)
            let request = try await network.codes.requestCode(
                for: other, from: "192.0.2.1"
            ).requestID
            let refused = await refusal {
                try await network.signIn.signIn(
                    other, code: "123456", deviceName: "Phone", by: CodeAsker(requestID: request))
            }
            #expect(refused?.isUnauthenticated == true)
        }
        #expect(
            server.environment.codeBounds
                == [.uninvited, .uninvited, .uninvited, .uninvited])
    }

    @Test func knownNumberSignsInInEveryMode() async throws {
        let ada = try await server.person("Ada")
        for network in [invited, closed] {
            let code = try #require(try await code(for: ada.number, on: network))
            let tokens = try await network.signIn.signIn(
                ada.number, code: code, deviceName: "Phone")
            #expect(!tokens.isNewUser && tokens.caller.userID == ada.id)
        }
    }

    @Test func codeFromBeforeTheChangeOpensNoAccount() async throws {
        let first = try await server.code(for: stranger)
        let refused = await refusal {
            try await invited.signIn.signIn(stranger, code: first, deviceName: "Phone")
        }
        #expect(refused?.reason == .tokenNeeded)
        let second = try await server.code(for: stranger)
        let closed = await refusal {
            try await self.closed.signIn.signIn(stranger, code: second, deviceName: "Phone")
        }
        #expect(closed?.reason == .signUpClosed)
    }

    @Test func movedAccountNeedsNoInvitation() async throws {
        let ada = try await server.person("Ada")
        let request = try await invited.codes.requestNumberCode(
            for: stranger, from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.codes(on: stranger).last)
        let profile = try await invited.phoneNumberChange.changePhoneNumber(
            to: stranger, code: code, by: CodeAsker(requestID: request), of: ada.caller)
        #expect(profile.phoneNumber == stranger)
    }

    // MARK: Invitations

    @Test func invitedNumberMaySignUpWhileTheInvitationIsOpen() async throws {
        let ada = try await server.person("Ada")
        let invitation = try await server.network.invitations.invite(
            "Mia", .number(stranger), by: ada.caller)
        let code = try #require(try await code(for: stranger, on: invited))
        server.clock.pass(.minutes(1))
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ada.caller)
        let refused = await refusal {
            try await invited.signIn.signIn(stranger, code: code, deviceName: "Phone")
        }
        #expect(refused?.reason == .tokenNeeded)
        _ = try await server.network.invitations.invite("Mia", .number(stranger), by: ada.caller)
        let next = try #require(try await self.code(for: stranger, on: invited))
        let tokens = try await invited.signIn.signIn(stranger, code: next, deviceName: "Phone")
        #expect(tokens.isNewUser)
    }

    @Test func oldInvitationAdmitsNobody() async throws {
        let ada = try await server.person("Ada")
        _ = try await server.network.invitations.invite("Mia", .number(stranger), by: ada.caller)
        server.clock.pass(InvitationRules.lifetime - .milliseconds(1))
        #expect(try await code(for: stranger, on: invited) != nil)
        server.clock.pass(.milliseconds(1))
        #expect(try await code(for: stranger, on: invited) == nil)
    }

    @Test func formerHoldersInvitationAdmitsNobody() async throws {
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let invitations = server.network.invitations
        _ = try await invitations.invite("Ben", .number(ben.number), by: ada.caller)
        server.clock.pass(.hours(1))
        try await server.changeNumber(of: ben, to: "+493012345678")
        #expect(try await code(for: ben.number, on: invited) == nil)
        let cleo = try await server.person("Cleo")
        _ = try await invitations.invite("Yan", .number(ben.number), by: cleo.caller)
        #expect(try await code(for: ben.number, on: invited) != nil)
    }

    @Test func closedServerTellsTheInviter() async throws {
        let ada = try await server.person("Ada")
        let refused = await refusal {
            try await closed.invitations.invite("Mia", .number(stranger), by: ada.caller)
        }
        #expect(refused?.field == "phoneNumber" && refused?.reason == .signUpClosed)
    }

    @Test func personsCodeOpensTenAccountsADay() async throws {
        let ada = try await server.person("Ada")
        let shown = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let invitation = SignUpInvitation(inviterCode: shown)
        for last in 0..<SignUpRules.perCode {
            let number = try PhoneNumber("+493030000\(100 + last)")
            let code = try #require(try await code(for: number, on: invited, with: invitation))
            _ = try await invited.signIn.signIn(number, code: code, deviceName: "Phone")
        }
        #expect(try await code(for: stranger, on: invited, with: invitation) == nil)
        server.clock.pass(SignUpRules.codeWindow)
        #expect(try await code(for: stranger, on: invited, with: invitation) != nil)
        _ = try await server.network.qrCodes.renewQRCode(of: ada.caller)
        #expect(try await code(for: other, on: invited, with: invitation) == nil)
    }

    @Test func lockedPersonAdmitsNobody() async throws {
        let ada = try await server.person("Ada")
        let shown = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let invitation = SignUpInvitation(inviterCode: shown)
        _ = try await server.network.invitations.invite("Mia", .number(stranger), by: ada.caller)
        let code = try #require(try await code(for: stranger, on: invited))
        _ = try await server.network.administration.lock(
            ada.number.text, reason: "Spam", by: "root")
        let refused = await refusal {
            try await invited.signIn.signIn(stranger, code: code, deviceName: "Phone")
        }
        #expect(refused?.reason == .tokenNeeded)
        #expect(try await self.code(for: other, on: invited, with: invitation) == nil)
        _ = try await server.network.administration.unlock(
            ada.number.text, reason: "Sorry", by: "root")
        #expect(try await self.code(for: other, on: invited, with: invitation) != nil)
    }

    // MARK: Tokens

    @Test func tokenOpensAsManyAccountsAsItHasUses() async throws {
        let made = try await invited.signUpTokens.make(uses: 2, note: "Choir")
        for number in [stranger, other] {
            #expect(try await signIn(number, on: invited, token: made.secret).isNewUser)
        }
        let third = try PhoneNumber("+493020000003")
        #expect(await reason(made.secret, third) == .tokenUsedUp)
        // The answer reveals no account.
        #expect(await reason(made.secret, stranger) == .tokenUsedUp)
        let listed = try #require(try await invited.signUpTokens.list().first)
        #expect(listed.id == made.id && listed.note == "Choir")
        #expect(listed.used == 2 && listed.uses == 2)
    }

    @Test func tokenReplacesLimitsOnAddressesAndNewNumbers() async throws {
        let people = SignInRules.codesToNewNumbersPerCountry + 1
        let made = try await invited.signUpTokens.make(uses: people)
        let invitation = SignUpInvitation(token: made.secret.text)
        for last in 0..<people {
            let number = try PhoneNumber("+493030000\(100 + last)")
            _ = try await invited.codes.requestCode(
                for: number, from: "192.0.2.1", with: invitation)
            let code = try #require(server.environment.codes(on: number).last)
            _ = try await invited.signIn.signIn(number, code: code, deviceName: "Phone")
        }
        // The others at this address have their own limit, and so have invited numbers.
        let ada = try await server.person("Ada")
        try await invited.codes.requestCode(for: ada.number, from: "192.0.2.1")
        _ = try await server.network.invitations.invite("Mia", .number(stranger), by: ada.caller)
        #expect(try await code(for: stranger, on: invited) != nil)
        #expect(server.environment.codeBounds == [])
    }

    @Test func fiveHundredPeopleSignUpInAnHour() async throws {
        let made = try await invited.signUpTokens.make(uses: 501)
        let invitation = SignUpInvitation(token: made.secret.text)
        for last in 0..<501 {
            let number = try PhoneNumber("+493030000\(100 + last)")
            _ = try await invited.codes.requestCode(
                for: number, from: "192.0.2.1", with: invitation)
            #expect(!server.environment.codes(on: number).isEmpty)
        }
    }

    @Test func tokenCausesThreeCodesPerUse() async throws {
        let made = try await invited.signUpTokens.make()
        let invitation = SignUpInvitation(token: made.secret.text)
        for last in 0..<SignUpRules.codesPerUse {
            let number = try PhoneNumber("+493030000\(100 + last)")
            #expect(try await code(for: number, on: invited, with: invitation) != nil)
        }
        let limited = await refusal {
            try await invited.codes.requestCode(
                for: stranger, from: "192.0.2.1", with: invitation)
        }
        #expect(limited?.retryAfter == SignInRules.codeWindow)
    }

    @Test func signInOfAKnownNumberUsesUpNoToken() async throws {
        let ada = try await server.person("Ada")
        let made = try await invited.signUpTokens.make()
        #expect(try await !signIn(ada.number, on: invited, token: made.secret).isNewUser)
        #expect(try await invited.signUpTokens.list().map(\.used) == [0])
    }

    @Test func lastUseGoesToOneOfTwo() async throws {
        let made = try await invited.signUpTokens.make()
        let invitation = SignUpInvitation(token: made.secret.text)
        let first = try #require(try await code(for: stranger, on: invited, with: invitation))
        let second = try #require(try await code(for: other, on: invited, with: invitation))
        _ = try await invited.signIn.signIn(stranger, code: first, deviceName: "Phone")
        let refused = await refusal {
            try await invited.signIn.signIn(other, code: second, deviceName: "Phone")
        }
        #expect(refused?.reason == .tokenUsedUp)
    }

    @Test func tokenExpiresAfterSevenDays() async throws {
        let made = try await invited.signUpTokens.make()
        server.clock.pass(.days(7) - .milliseconds(1))
        #expect(await reason(made.secret, stranger) == nil)
        server.clock.pass(.milliseconds(1))
        #expect(await reason(made.secret, stranger) == .tokenExpired)
    }

    @Test func revokedTokenAdmitsNobody() async throws {
        let made = try await invited.signUpTokens.make(uses: 5)
        try await invited.signUpTokens.revoke(made.id)
        #expect(await reason(made.secret, stranger) == .tokenRevoked)
        #expect(
            await refusal { try await invited.signUpTokens.revoke(made.id) }?.isNotFound == true)
    }

    @Test func unknownTokenAdmitsNobody() async throws {
        let wrong = Token(random: Data(repeating: 9, count: 32))
        #expect(await reason(wrong, stranger) == .tokenUnknown)
    }

    @Test func closedServerTakesNoToken() async throws {
        let made = try await invited.signUpTokens.make()
        let refused = await refusal {
            try await closed.codes.requestCode(
                for: stranger, from: "192.0.2.1",
                with: SignUpInvitation(token: made.secret.text))
        }
        #expect(refused?.reason == .signUpClosed)
    }

    @Test func closedServerMakesTokensForAccountsOnly() async throws {
        let ada = try await server.person("Ada")
        for number in [stranger, nil] {
            let refused = await refusal {
                try await closed.administration.invite(
                    number, uses: 1, days: 7, note: "", reason: "Village", by: "root")
            }
            #expect(refused?.reason == .signUpClosed)
        }
        #expect(try await closed.signUpTokens.list().isEmpty)
        _ = try await closed.administration.invite(
            ada.number, uses: 1, days: 7, note: "", reason: "Lost the phone", by: "root")
        #expect(try await closed.signUpTokens.list().map(\.phoneNumber) == [ada.number])
    }

    @Test(arguments: [(0, false), (1, true), (10_000, true), (10_001, false)])
    func usesHaveLimits(uses: Int, isTaken: Bool) async throws {
        let refused = await refusal { try await invited.signUpTokens.make(uses: uses) }
        #expect((refused == nil) == isTaken)
    }

    @Test(arguments: [
        (Duration.zero, false), (.milliseconds(1), true), (.days(365), true),
        (.days(365) + .milliseconds(1), false),
    ])
    func expiryHasLimits(lifetime: Duration, isTaken: Bool) async throws {
        let refused = await refusal { try await invited.signUpTokens.make(expires: lifetime) }
        #expect((refused == nil) == isTaken)
    }

    @Test func onlyTheHashIsStored() async throws {
        let made = try await invited.signUpTokens.make()
        let stored = try await server.engine.read {
            try $0.values("SELECT hash FROM sign_up_tokens", []) as [Data]
        }
        #expect(stored == [made.secret.hash])
        #expect(invited.signUpTokens.link(for: made.secret).path == "/join/\(made.secret.text)")
    }

    // MARK: A token for a number

    @Test func tokenSignsInItsNumberOnceWithoutACode() async throws {
        let ada = try await server.person("Ada")
        let made = try await invited.signUpTokens.make(number: ada.number)
        let secret = made.secret.text
        let reply = try await invited.codes.requestCode(
            for: ada.number, from: "192.0.2.1", with: SignUpInvitation(token: secret))
        #expect(!reply.needsCode)
        let tokens = try await invited.signIn.signIn(
            ada.number, token: secret, deviceName: "New phone")
        #expect(tokens.caller.userID == ada.id && !tokens.isNewUser)
        let refused = await refusal {
            try await invited.signIn.signIn(ada.number, token: secret, deviceName: "Third")
        }
        #expect(refused?.reason == .tokenUsedUp)
        // The other devices are told.
        #expect(try await server.news(of: ada).isEmpty == false)
    }

    @Test func tokensForNumbersReplaceTheLimitOnAddresses() async throws {
        for last in 0...SignInRules.codesPerAddress {
            let number = try PhoneNumber("+493030000\(100 + last)")
            let secret = try await invited.signUpTokens.make(number: number).secret.text
            let reply = try await invited.codes.requestCode(
                for: number, from: "192.0.2.1", with: SignUpInvitation(token: secret))
            #expect(!reply.needsCode)
            let tokens = try await invited.signIn.signIn(
                number, token: secret, deviceName: "Phone", by: CodeAsker(address: "192.0.2.1"))
            #expect(tokens.isNewUser)
        }
        // The others at this address have their own limit.
        let ada = try await server.person("Ada")
        try await invited.codes.requestCode(for: ada.number, from: "192.0.2.1")
    }

    @Test func tokenSignsInNoOtherNumber() async throws {
        let made = try await invited.signUpTokens.make(number: stranger)
        #expect(await reason(made.secret, other) == .tokenOtherNumber)
        let refused = await refusal {
            try await invited.signIn.signIn(other, token: made.secret.text, deviceName: "Phone")
        }
        #expect(refused?.reason == .tokenOtherNumber)
        let tokens = try await invited.signIn.signIn(
            stranger, token: made.secret.text, deviceName: "Phone")
        #expect(tokens.isNewUser)
    }

    @Test func tokenForNewAccountsIsNoSignIn() async throws {
        let made = try await invited.signUpTokens.make()
        let refused = await refusal {
            try await invited.signIn.signIn(stranger, token: made.secret.text, deviceName: "Phone")
        }
        #expect(refused?.field == "code" && refused?.reason == .codeNeeded)
    }

    @Test func guessesOfTokensCountAsCodes() async throws {
        let wrong = Token(random: Data(repeating: 9, count: 32))
        for _ in 0..<SignInRules.codesPerNumber {
            #expect(await reason(wrong, stranger) == .tokenUnknown)
        }
        let limited = await refusal {
            try await invited.codes.requestCode(
                for: stranger, from: "phone of \(stranger)",
                with: SignUpInvitation(token: wrong.text))
        }
        #expect(limited?.retryAfter != nil)
    }

    /// The server sends nothing for a wrong token, so the owner wouldn't notice.
    @Test func guessesOfTokensLeaveTheNumberItsCodes() async throws {
        let ada = try await server.person("Ada")
        let wrong = SignUpInvitation(token: Token(random: Data(repeating: 9, count: 32)).text)
        let before = server.environment.codes(on: ada.number).count
        // Together they reach the limits of codes to a number, for an hour and for a day.
        for guess in 0..<(4 * SignInRules.codesPerNumber) {
            let refused = await refusal {
                try await invited.codes.requestCode(
                    for: ada.number, from: "198.51.100.\(guess / SignInRules.codesPerNumber)",
                    with: wrong)
            }
            #expect(refused?.reason == .tokenUnknown)
        }
        try await invited.codes.requestCode(for: ada.number, from: "203.0.113.1")
        #expect(server.environment.codes(on: ada.number).count == before + 1)
    }

    /// The finder of a link must not be able to try all numbers of a village.
    @Test func guessesOfATokensNumberAreLimited() async throws {
        let made = try await invited.signUpTokens.make(number: stranger)
        func attempt(_ number: PhoneNumber) async -> CommandError? {
            await refusal {
                try await invited.signIn.signIn(
                    number, token: made.secret.text, deviceName: "Phone",
                    by: CodeAsker(address: "192.0.2.1"))
            }
        }
        for last in 0...SignInRules.codesPerAddress {
            let number = try PhoneNumber("+493030000\(100 + last)")
            #expect(await attempt(number)?.reason == .tokenOtherNumber)
        }
        #expect(await attempt(stranger)?.retryAfter != nil)
        // Otherwise this answer would show that the number is the right one.
        let request = await refusal {
            try await invited.codes.requestCode(
                for: stranger, from: "192.0.2.1",
                with: SignUpInvitation(token: made.secret.text))
        }
        #expect(request?.retryAfter != nil)
        server.clock.pass(SignInRules.codeWindow)
        #expect(await attempt(stranger) == nil)
    }

    /// The next owner of the number may be another person.
    @Test func movedAccountEndsTheTokensOfBothNumbers() async throws {
        let ada = try await server.person("Ada")
        let old = try await invited.signUpTokens.make(number: ada.number)
        let new = try await invited.signUpTokens.make(number: stranger)
        let request = try await invited.codes.requestNumberCode(
            for: stranger, from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.codes(on: stranger).last)
        _ = try await invited.phoneNumberChange.changePhoneNumber(
            to: stranger, code: code, by: CodeAsker(requestID: request), of: ada.caller)
        #expect(await reason(old.secret, ada.number) == .tokenRevoked)
        #expect(await reason(new.secret, stranger) == .tokenRevoked)
    }

    @Test func newAccountEndsTheOtherTokensOfItsNumber() async throws {
        let first = try await invited.signUpTokens.make(number: stranger)
        let second = try await invited.signUpTokens.make(number: stranger)
        _ = try await invited.signIn.signIn(
            stranger, token: first.secret.text, deviceName: "Phone")
        #expect(await reason(first.secret, stranger) == .tokenUsedUp)
        #expect(await reason(second.secret, stranger) == .tokenRevoked)
    }

    @Test func deletedAccountLeavesNoToken() async throws {
        let ada = try await server.person("Ada")
        _ = try await invited.signUpTokens.make(number: ada.number)
        try await server.deleteAccount(ada)
        #expect(try await invited.signUpTokens.list().isEmpty)
    }
}
