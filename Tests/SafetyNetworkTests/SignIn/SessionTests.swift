import Cryptography
import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct SessionTests {
    private func isRefused(_ token: Token, _ server: TestServer) async -> Bool {
        await refusal { try await server.network.signIn.authenticate(token) }?.isUnauthenticated
            == true
    }

    @Test func anAccessTokenLivesFifteenMinutes() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        #expect(try await server.network.signIn.authenticate(ada.tokens.accessToken) == ada.caller)
        server.clock.pass(.minutes(15) - .milliseconds(1))
        #expect(try await server.network.signIn.authenticate(ada.tokens.accessToken) == ada.caller)
        server.clock.pass(.milliseconds(1))
        #expect(await isRefused(ada.tokens.accessToken, server))
    }

    @Test func inventedTokenIsRejected() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        #expect(await isRefused(Token(random: Data(repeating: 9, count: 32)), server))
        #expect(await isRefused(ada.tokens.refreshToken, server))
        #expect(
            await refusal { try await server.network.signIn.refresh(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(try await server.network.signIn.authenticate(ada.tokens.accessToken) == ada.caller)
    }

    @Test func exchangeInvalidatesTheOldTokensAtOnce() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        _ = try await server.network.signIn.authenticate(ada.tokens.accessToken)
        server.clock.pass(.minutes(1))
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        #expect(next.caller == ada.caller)
        #expect(await isRefused(ada.tokens.accessToken, server))
        #expect(try await server.network.signIn.authenticate(next.accessToken) == ada.caller)
        #expect(next.accessExpiresAt == noon.adding(.minutes(16)))
        #expect(
            try await server.network.signIn.sessions(of: ada.caller).map(\.lastUsedAt) == [
                noon.adding(.minutes(1))
            ])
    }

    @Test func reusedRefreshTokenEndsTheSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let other = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let second = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let third = try await server.network.signIn.refresh(second.refreshToken)
        _ = try await server.network.signIn.authenticate(third.accessToken)
        #expect(
            await refusal { try await server.network.signIn.refresh(ada.tokens.refreshToken) }
                == CommandError.sessionOver)
        #expect(await isRefused(third.accessToken, server))
        #expect(
            await refusal { try await server.network.signIn.refresh(third.refreshToken) }
                == CommandError.sessionOver)
        #expect(
            try await server.network.signIn.sessions(of: other.caller).map(\.deviceName) == [
                "Tablet"
            ])
        #expect(
            try await server.network.signIn.authenticate(other.tokens.accessToken) == other.caller)
    }

    /// The network address exceeds its request limit.
    @Test func refreshBeyondTheLimitWorksOnceAMinute() async throws {
        let server = try TestServer()
        let (tokens, signIn) = (try await server.person("Ada").tokens, server.network.signIn)
        let limit = CommandError.rateLimited(retryAfter: .seconds(3))
        server.clock.pass(.minutes(1) - .milliseconds(1))
        await #expect(throws: limit) {
            try await signIn.refresh(tokens.refreshToken, unlessRefused: limit)
        }
        let invented = Token(random: Data(repeating: 9, count: 32))
        server.clock.pass(.milliseconds(1))
        await #expect(throws: limit) { try await signIn.refresh(invented, unlessRefused: limit) }
        let next = try await signIn.refresh(tokens.refreshToken, unlessRefused: limit)
        #expect(next.caller == tokens.caller)
        await #expect(throws: limit) {
            try await signIn.refresh(next.refreshToken, unlessRefused: limit)
        }
        #expect(
            try await signIn.authenticate(next.accessToken, unlessRefused: limit) == next.caller)
        await #expect(throws: CommandError.sessionOver) {
            try await signIn.authenticate(invented, unlessRefused: limit)
        }
    }

    /// The server announces ended sessions to all streams. A refused request must announce nothing.
    @Test func othersSessionsCannotBeEnded() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let session = ben.caller.sessionID
        #expect(
            await refusal { try await server.network.signIn.endSession(session, of: ada.caller) }?
                .isNotFound == true)
        #expect(!server.published.endedSessions.contains(session))
        try await server.network.signIn.endSession(session, of: ben.caller)
        #expect(server.published.endedSessions.contains(session))
    }

    @Test func aDeviceUnusedForNinetyDaysSignsInAgain() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        server.clock.pass(.days(90) - .milliseconds(1))
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        server.clock.pass(.milliseconds(1))
        #expect(
            await refusal { try await server.network.signIn.refresh(ben.tokens.refreshToken) }
                == CommandError.sessionOver)
        server.clock.pass(.days(89))
        _ = try await server.network.signIn.refresh(next.refreshToken)
    }

    @Test func aUserSeesTheirSessionsAndEndsThem() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        server.clock.pass(.seconds(1))
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let sessions = try await server.network.signIn.sessions(of: tablet.caller)
        #expect(sessions.map(\.deviceName) == ["Tablet", "Phone"])
        #expect(sessions.map(\.isCurrent) == [true, false])

        // Both sessions are cached. The one that ends is refused at once.
        for person in [ada, tablet] {
            _ = try await server.network.signIn.authenticate(person.tokens.accessToken)
        }
        #expect(
            await refusal {
                try await server.network.signIn.endSession(ada.caller.sessionID, of: ben.caller)
            }?.isNotFound == true)
        #expect(try await server.network.signIn.authenticate(ada.tokens.accessToken) == ada.caller)
        try await server.network.signIn.endSession(ada.caller.sessionID, of: tablet.caller)
        #expect(await isRefused(ada.tokens.accessToken, server))
        #expect(
            await refusal { try await server.network.signIn.refresh(ada.tokens.refreshToken) }
                == CommandError.sessionOver)
        #expect(
            try await server.network.signIn.authenticate(tablet.tokens.accessToken) == tablet.caller
        )
        #expect(
            await refusal {
                try await server.network.signIn.endSession(ada.caller.sessionID, of: tablet.caller)
            }?.isNotFound == true)
    }

    /// A look-up began before the session ended. Its result must not enter the cache.
    @Test func sessionEndedDuringALookUpStaysOut() throws {
        let cache = CallerCache()
        let caller = Caller(
            userID: UserID(TestEnvironment().makeID()),
            sessionID: SessionID(TestEnvironment().makeID()))
        let row = SessionRow.some(caller)
        let before = cache.generation
        cache.forget([caller.sessionID])
        cache.remember(row, hash: Data([1]), generation: before, at: noon)
        #expect(cache.session(Data([1]), at: noon) == nil)
        cache.remember(row, hash: Data([1]), generation: cache.generation, at: noon)
        #expect(cache.session(Data([1]), at: noon) == row)
        cache.forget([caller.sessionID])
        #expect(cache.session(Data([1]), at: noon) == nil)
    }

    @Test func fullCacheIsCleared() {
        let cache = CallerCache(limit: 3)
        let environment = TestEnvironment()
        for number in 1...7 {
            let caller = Caller(userID: environment.id(), sessionID: environment.id())
            cache.remember(
                .some(caller), hash: Data([UInt8(number)]), generation: cache.generation, at: noon)
        }
        #expect(
            (1...7).map { cache.session(Data([UInt8($0)]), at: noon) != nil } == [
                false, false, false, false, false, false, true,
            ])
    }

    /// Another server's hint that the session ended may be lost, so the entry must expire.
    @Test func sharedCacheEntryExpiresAfter5Seconds() {
        let cache = CallerCache(oldest: CallerCache.ageBesideOthers)
        let environment = TestEnvironment()
        let caller = Caller(userID: environment.id(), sessionID: environment.id())
        cache.remember(.some(caller), hash: Data([1]), generation: cache.generation, at: noon)
        let end = noon.adding(.seconds(5))
        #expect(cache.session(Data([1]), at: end.aMillisecondBefore) != nil)
        #expect(cache.session(Data([1]), at: end) == nil)
        cache.remember(.some(caller), hash: Data([1]), generation: cache.generation, at: end)
        cache.forgetAll()
        #expect(cache.session(Data([1]), at: end) == nil)
    }

    @Test func codesAndTokensAreStoredHashedOnly() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let next = try await server.network.signIn.refresh(ada.tokens.refreshToken)
        let code = try await server.code(for: ada.number)
        let secrets = [
            code, ada.tokens.refreshToken.text, next.refreshToken.text, next.accessToken.text,
        ]
        for secret in secrets {
            #expect(try await TestDatabase.columns(holding: secret, in: server.engine) == [])
        }
        #expect(
            try await TestDatabase.columns(holding: "Ada", in: server.engine) == ["users.name"])
    }
}

extension SessionRow {
    fileprivate static func some(_ caller: Caller) -> SessionRow {
        SessionRow(caller: caller, accessExpiresAt: noon, refreshExpiresAt: noon)
    }
}
