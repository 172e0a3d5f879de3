import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct WebSessionTests {
    private func isOver(_ secret: Token, _ town: Town) async -> Bool {
        await refusal { try await town.network.resumeWebSession(secret) }
            == SafetyNetwork.sessionOver
    }

    @Test func aCookieBringsFreshTokensOfTheSameSession() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let secret = town.world.random.token()
        try await town.network.bindWebSession(secret, to: ada.caller)
        _ = try await town.network.authenticate(ada.tokens.accessToken)
        town.clock.pass(.hours(5))
        let tokens = try await town.network.resumeWebSession(secret)
        #expect(tokens.caller == ada.caller && !tokens.isNewUser)
        #expect(tokens.accessExpiresAt == noon.adding(.hours(5) + .minutes(15)))
        #expect(try await town.network.authenticate(tokens.accessToken) == ada.caller)
        #expect(try await town.network.refresh(tokens.refreshToken).caller == ada.caller)
        #expect(
            try await town.network.sessions(of: ada.caller).map(\.lastUsedAt) == [
                noon.adding(.hours(5))
            ])
    }

    /// They were in the memory of a server that slept; nobody can use them, and using them does not
    /// end the session.
    @Test func theTokensBeforeAreWorthlessAndHarmless() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let secret = town.world.random.token()
        try await town.network.bindWebSession(secret, to: ada.caller)
        _ = try await town.network.authenticate(ada.tokens.accessToken)
        let tokens = try await town.network.resumeWebSession(secret)
        #expect(
            await refusal { try await town.network.authenticate(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(
            await refusal { try await town.network.refresh(ada.tokens.refreshToken) }
                == SafetyNetwork.sessionOver)
        #expect(try await town.network.authenticate(tokens.accessToken) == ada.caller)
    }

    @Test func aSecretThatStandsForNothing() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        #expect(await isOver(town.world.random.token(), town))
        // Not even a token of the session itself.
        #expect(await isOver(ada.tokens.accessToken, town))
        #expect(await isOver(ada.tokens.refreshToken, town))
    }

    @Test func aNewSecretTakesThePlaceOfTheOld() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let (old, new) = (town.world.random.token(), town.world.random.token())
        try await town.network.bindWebSession(old, to: ada.caller)
        try await town.network.bindWebSession(new, to: ada.caller)
        #expect(await isOver(old, town))
        #expect(try await town.network.resumeWebSession(new).caller == ada.caller)
    }

    @Test func theSecretEndsWithItsSessionAndWithNoOther() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let tablet = try await town.signIn(ada.number, as: "Ada", on: "Tablet")
        let secrets = [town.world.random.token(), town.world.random.token()]
        try await town.network.bindWebSession(secrets[0], to: ada.caller)
        try await town.network.bindWebSession(secrets[1], to: tablet.caller)
        try await town.network.endSession(ada.caller.sessionID, of: tablet.caller)
        #expect(await isOver(secrets[0], town))
        #expect(try await town.network.resumeWebSession(secrets[1]).caller == tablet.caller)
        #expect(
            await refusal { try await town.network.bindWebSession(secrets[0], to: ada.caller) }
                == SafetyNetwork.sessionOver)
        try await town.network.deleteAccount(of: tablet.caller)
        #expect(await isOver(secrets[1], town))
    }

    @Test func aCookieThatWasNotUsedForNinetyDaysIsOver() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let secret = town.world.random.token()
        try await town.network.bindWebSession(secret, to: ada.caller)
        town.clock.pass(.days(90) - .milliseconds(1))
        _ = try await town.network.resumeWebSession(secret)
        town.clock.pass(.days(90))
        #expect(await isOver(secret, town))
    }

    @Test func theSecretIsStoredHashedOnly() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let secret = town.world.random.token()
        try await town.network.bindWebSession(secret, to: ada.caller)
        let stored = try await town.engine.read {
            try $0.query("SELECT secret_hash FROM web_sessions", []) { $0.blob(0) }
        }
        #expect(stored == [secret.hash])
    }
}
