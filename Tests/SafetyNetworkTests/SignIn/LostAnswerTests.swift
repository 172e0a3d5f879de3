import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A refresh token stays valid until its successor is used (product.md, "Sign-in").
@Suite struct LostAnswerTests {
    private func usedTokens(_ town: Town) async throws -> Int {
        try await town.engine.read { try $0.count("SELECT COUNT(*) FROM used_refresh_tokens", []) }
    }

    private func isOver(_ token: Token, _ town: Town) async -> Bool {
        await refusal { try await town.network.refresh(token) } == SafetyNetwork.sessionOver
    }

    @Test func whoGotNoAnswerAsksAgainWithTheSameToken() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let lost = try await town.network.refresh(ada.tokens.refreshToken)
        let next = try await town.network.refresh(ada.tokens.refreshToken)
        #expect(next.caller == ada.caller && next.refreshToken != lost.refreshToken)
        #expect(try await town.network.authenticate(next.accessToken) == ada.caller)
        // Nobody has them.
        #expect(
            await refusal { try await town.network.authenticate(lost.accessToken) }?
                .isUnauthenticated == true)
        _ = try await town.network.refresh(next.refreshToken)
    }

    @Test func manyAnswersCanBeLostInARow() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        for _ in 0..<20 { _ = try await town.network.refresh(ada.tokens.refreshToken) }
        let next = try await town.network.refresh(ada.tokens.refreshToken)
        _ = try await town.network.refresh(next.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, town))
    }

    @Test func theTokenBeforeEndsTheSessionOnceItsSuccessorWasUsed() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let second = try await town.network.refresh(ada.tokens.refreshToken)
        let third = try await town.network.refresh(second.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, town))
        #expect(await isOver(third.refreshToken, town))
        #expect(try await town.network.sessions(of: ada.caller).isEmpty)
    }

    /// A thief who was faster holds tokens that are superseded by the owner's next renewal.
    @Test func ofTwoWhoRenewWithOneTokenTheFirstEndsTheSessionWithTheNextRenewal() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let thiefs = try await town.network.refresh(ada.tokens.refreshToken)
        let owners = try await town.network.refresh(ada.tokens.refreshToken)
        #expect(await refusal { try await town.network.authenticate(thiefs.accessToken) } != nil)
        #expect(await isOver(thiefs.refreshToken, town))
        #expect(await isOver(owners.refreshToken, town))
    }

    @Test func aRenewalThatArrivesTwiceGetsTheSameTokens() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let attempt = town.world.makeID()
        let first = try await town.network.refresh(ada.tokens.refreshToken, attempt: attempt)
        let late = try await town.network.refresh(ada.tokens.refreshToken, attempt: attempt)
        #expect(late.refreshToken == first.refreshToken && late.accessToken == first.accessToken)
        #expect(try await town.network.authenticate(first.accessToken) == ada.caller)
        let next = try await town.network.refresh(first.refreshToken, attempt: town.world.makeID())
        #expect(next.refreshToken != first.refreshToken && next.caller == ada.caller)
    }

    /// A thief has the refresh token, and not the id of the owner's renewal.
    @Test func theTokensOfARenewalAreForWhoMadeIt() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let owners = try await town.network.refresh(
            ada.tokens.refreshToken, attempt: town.world.makeID())
        let thiefs = try await town.network.refresh(
            ada.tokens.refreshToken, attempt: town.world.makeID())
        #expect(thiefs.refreshToken != owners.refreshToken)
        #expect(await isOver(owners.refreshToken, town))
        #expect(await isOver(thiefs.refreshToken, town))
    }

    @Test func theTokensOfASessionBeginAlikeAndThoseOfAnotherDoNot() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let other = try await town.signIn(ada.number, as: "Ada", on: "Tablet")
        let next = try await town.network.refresh(ada.tokens.refreshToken)
        #expect(next.refreshToken.family == ada.tokens.refreshToken.family)
        #expect(next.refreshToken.text.count == 43 && next.refreshToken != ada.tokens.refreshToken)
        #expect(other.tokens.refreshToken.family != ada.tokens.refreshToken.family)
        // Half a token is none.
        let guessed = Token(random: next.refreshToken.family + Data(repeating: 1, count: 16))
        #expect(await isOver(guessed, town))
    }

    @Test func aDayOfRenewalsLeavesNoRow() async throws {
        let town = try Town()
        var tokens = try await town.person("Ada").tokens
        for _ in 0..<96 {
            town.clock.pass(.minutes(15))
            tokens = try await town.network.refresh(tokens.refreshToken)
        }
        #expect(try await usedTokens(town) == 0)
    }

    // MARK: Sessions from before families

    /// As the releases before wrote them.
    private func forgetFamily(_ person: Person, _ town: Town) async throws {
        try await town.engine.write {
            _ = try $0.execute(
                "UPDATE sessions SET family_hash = NULL WHERE user_id = $1", [.id(person.id)])
        }
    }

    @Test func aSessionFromBeforeGoesOnAndGetsAFamily() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await forgetFamily(ada, town)
        let lost = try await town.network.refresh(ada.tokens.refreshToken)
        var tokens = try await town.network.refresh(ada.tokens.refreshToken)
        #expect(lost.refreshToken.family == tokens.refreshToken.family)
        #expect(tokens.refreshToken.family != ada.tokens.refreshToken.family)
        for _ in 0..<20 { tokens = try await town.network.refresh(tokens.refreshToken) }
        #expect(try await usedTokens(town) == 1)
        #expect(try await town.network.authenticate(tokens.accessToken) == ada.caller)
    }

    @Test func aTokenFromBeforeEndsTheSessionOnceItsSuccessorWasUsed() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await forgetFamily(ada, town)
        let second = try await town.network.refresh(ada.tokens.refreshToken)
        let third = try await town.network.refresh(second.refreshToken)
        #expect(await isOver(ada.tokens.refreshToken, town))
        #expect(await isOver(third.refreshToken, town))
    }

    @Test func aTokenThatWasUsedBeforeTheUpdateStillEndsItsSession() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await forgetFamily(ada, town)
        let used = town.world.random.token()
        try await town.engine.write { try $0.rememberUsedRefreshToken(used.hash, of: ada.caller) }
        #expect(await isOver(used, town))
        #expect(try await town.network.sessions(of: ada.caller).isEmpty)
    }
}
