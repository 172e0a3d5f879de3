import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A refresh token stays valid until its successor is used (product.md, "Sign-in").
@Suite struct LostAnswerTests {
    private func usedTokens(_ server: TestServer) async throws -> Int {
        try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM used_refresh_tokens", [])
        }
    }

    private func isOver(_ token: Token, _ server: TestServer) async -> Bool {
        await refusal { try await server.network.signIn.refresh(token) } == CommandError.sessionOver
    }

    @Test func sameTokenWorksAfterALostAnswer() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let lost = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        #expect(next.caller == ada.caller && next.refreshToken != lost.refreshToken)
        #expect(try await server.network.signIn.authenticate(next.accessToken) == ada.caller)
        // The tokens of the lost response are invalid.
        #expect(
            await refusal { try await server.network.signIn.authenticate(lost.accessToken) }?
                .isUnauthenticated == true)
        _ = try await server.network.signIn.refresh(next.refreshToken)
    }

    @Test func manyAnswersCanBeLostInARow() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        for _ in 0..<20 { _ = try await server.network.signIn.refresh(ada.tokens.refreshToken) }
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        _ = try await server.network.signIn.refresh(next.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, server))
    }

    @Test func supersededTokenEndsTheSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let second = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let third = try await server.network.signIn.refresh(second.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, server))
        #expect(await isOver(third.refreshToken, server))
        #expect(try await server.network.signIn.sessions(of: ada.caller).isEmpty)
    }

    /// A thief may renew the tokens first. The owner's renewal then invalidates the thief's tokens.
    @Test func sharedTokenEndsTheSessionAtTheNextRenewal() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let thiefs = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let owners = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        #expect(
            await refusal { try await server.network.signIn.authenticate(thiefs.accessToken) }
                != nil)
        #expect(await isOver(thiefs.refreshToken, server))
        #expect(await isOver(owners.refreshToken, server))
    }

    // MARK: Sign-in

    /// The sign-in lock's wait of 7 days isn't lost with the answer.
    @Test func repeatedSignInGetsTheSameSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        func signIn(_ code: String, _ attempt: UUID?) async throws -> IssuedTokens {
            try await server.network.signIn.signIn(
                ada.number, code: code, deviceName: "Tablet", by: CodeAsker(attempt: attempt))
        }
        let first = try await server.code(for: ada.number)
        #expect(await refusal { try await signIn(first, nil) }?.reason == .signInWaits)
        server.clock.pass(.days(7))
        let (code, attempt) = (try await server.code(for: ada.number), server.environment.makeID())
        let lost = try await signIn(code, attempt)
        let again = try await signIn(code, attempt)
        #expect(again.caller == lost.caller && again.refreshToken == lost.refreshToken)
        #expect(try await server.network.signIn.authenticate(again.accessToken) == lost.caller)
        // Another request gets no session, with the same code or with the same id.
        let other = server.environment.makeID()
        #expect(await refusal { try await signIn(code, other) }?.isUnauthenticated == true)
        let wrong = code == "111111" ? "111112" : "111111"
        #expect(await refusal { try await signIn(wrong, attempt) }?.isUnauthenticated == true)
        // A session that has ended or was used isn't given again.
        _ = try await server.network.signIn.refresh(again.refreshToken)
        #expect(await refusal { try await signIn(code, attempt) }?.isUnauthenticated == true)
        #expect(try await server.network.signIn.sessions(of: ada.caller).count == 2)
    }

    /// Returns a sign-in with a recovery code and one id.
    private func repeatableSignIn(
        of person: Person, at server: TestServer
    ) async throws -> () async throws -> IssuedTokens {
        let made = try await server.network.recovery.makeCodes(of: person.caller).codes
        let code = try #require(made.first)
        let asker = CodeAsker(attempt: server.environment.makeID())
        return {
            try await server.network.signIn.signIn(
                person.number, recoveryCode: code, deviceName: "Tablet", by: asker)
        }
    }

    @Test func repeatedSignInUsesOneRecoveryCode() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let signIn = try await repeatableSignIn(of: ada, at: server)
        let lost = try await signIn()
        #expect(try await signIn().caller == lost.caller)
        let security = try await server.network.signInLocks.security(of: ada.caller)
        #expect(security.recoveryCodes == 9)
        try await server.network.signIn.endSession(lost.caller.sessionID, of: ada.caller)
        #expect(await refusal { try await signIn() }?.reason == .recoveryCodeWrong)
    }

    @Test func repeatedSignInWorksUntilTheAccessTokenExpires() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let signIn = try await repeatableSignIn(of: ada, at: server)
        let lost = try await signIn()
        server.clock.set(lost.accessExpiresAt.aMillisecondBefore)
        #expect(try await signIn().caller == lost.caller)
        server.clock.set(lost.accessExpiresAt)
        #expect(await refusal { try await signIn() }?.reason == .recoveryCodeWrong)
    }

    // MARK: Renewal

    @Test func repeatedRenewalGetsTheSameTokens() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let attempt = server.environment.makeID()
        let first = try await server.network.signIn.refresh(
            ada.tokens.refreshToken, attempt: attempt)
        let late = try await server.network.signIn.refresh(
            ada.tokens.refreshToken, attempt: attempt)
        #expect(late.refreshToken == first.refreshToken && late.accessToken == first.accessToken)
        #expect(try await server.network.signIn.authenticate(first.accessToken) == ada.caller)
        let next = try await server.network.signIn.refresh(
            first.refreshToken, attempt: server.environment.makeID())
        #expect(next.refreshToken != first.refreshToken && next.caller == ada.caller)
    }

    /// A thief with the refresh token doesn't know the id of the owner's renewal.
    @Test func renewedTokensNeedTheRenewalsID() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let owners = try await server.network.signIn.refresh(
            ada.tokens.refreshToken, attempt: server.environment.makeID())
        let thiefs = try await server.network.signIn.refresh(
            ada.tokens.refreshToken, attempt: server.environment.makeID())
        #expect(thiefs.refreshToken != owners.refreshToken)
        #expect(await isOver(owners.refreshToken, server))
        #expect(await isOver(thiefs.refreshToken, server))
    }

    @Test func tokensOfASessionShareAFamily() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let other = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        #expect(next.refreshToken.family == ada.tokens.refreshToken.family)
        #expect(next.refreshToken.text.count == 43 && next.refreshToken != ada.tokens.refreshToken)
        #expect(other.tokens.refreshToken.family != ada.tokens.refreshToken.family)
        // One half of a token doesn't suffice.
        let guessed = Token(random: next.refreshToken.family + Data(repeating: 1, count: 16))
        #expect(await isOver(guessed, server))
    }

    @Test func aDayOfRenewalsLeavesNoRow() async throws {
        let server = try TestServer()
        var tokens = try await server.person("Ada").tokens
        for _ in 0..<96 {
            server.clock.pass(.minutes(15))
            tokens = try await server.network.signIn.refresh(tokens.refreshToken)
        }
        #expect(try await usedTokens(server) == 0)
    }

    // MARK: Sessions from before families

    /// Gives the session the form that earlier versions stored.
    private func forgetFamily(_ person: Person, _ server: TestServer) async throws {
        try await server.engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE sessions SET family_hash = NULL WHERE user_id = $1", [.id(person.id)])
        }
    }

    @Test func olderSessionContinuesWithAFamily() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await forgetFamily(ada, server)
        let lost = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        var tokens = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        #expect(lost.refreshToken.family == tokens.refreshToken.family)
        #expect(tokens.refreshToken.family != ada.tokens.refreshToken.family)
        for _ in 0..<20 { tokens = try await server.network.signIn.refresh(tokens.refreshToken) }
        #expect(try await usedTokens(server) == 1)
        #expect(try await server.network.signIn.authenticate(tokens.accessToken) == ada.caller)
    }

    @Test func supersededOlderTokenEndsTheSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await forgetFamily(ada, server)
        let second = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let third = try await server.network.signIn.refresh(second.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, server))
        #expect(await isOver(third.refreshToken, server))
    }

    @Test func tokenUsedBeforeTheUpdateEndsItsSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await forgetFamily(ada, server)
        let used = server.environment.random.token()
        try await server.engine.write(about: .none) {
            try $0.rememberUsedRefreshToken(used.hash, of: ada.caller)
        }
        #expect(await isOver(used, server))
        #expect(try await server.network.signIn.sessions(of: ada.caller).isEmpty)
    }
}
