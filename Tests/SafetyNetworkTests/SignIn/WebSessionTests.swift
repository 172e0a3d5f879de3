import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct WebSessionTests {
    private func isOver(_ secret: Token, _ server: TestServer) async -> Bool {
        await refusal { try await server.network.webSessions.resumeWebSession(secret) }
            == CommandError.sessionOver
    }

    @Test func cookieResumesItsSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let secret = server.environment.random.token()
        try await server.network.webSessions.bindWebSession(secret, to: ada.caller)
        _ = try await server.network.signIn.authenticate(ada.tokens.accessToken)
        server.clock.pass(.hours(5))
        let tokens = try await server.network.webSessions.resumeWebSession(secret)
        #expect(tokens.caller == ada.caller && !tokens.isNewUser)
        #expect(tokens.accessExpiresAt == noon.adding(.hours(5) + .minutes(15)))
        #expect(try await server.network.signIn.authenticate(tokens.accessToken) == ada.caller)
        server.clock.pass(.minutes(15))
        #expect(
            await refusal { try await server.network.signIn.authenticate(tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(try await server.network.signIn.refresh(tokens.refreshToken).caller == ada.caller)
        #expect(try await server.network.signIn.authenticate(tokens.accessToken) == ada.caller)
        #expect(
            try await server.network.signIn.sessions(of: ada.caller).map(\.lastUsedAt) == [
                noon.adding(.hours(5) + .minutes(15))
            ])
    }

    /// Requests of one browser may reach different servers. The session must stay valid on both.
    @Test func serversShareACookiesSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let secret = server.environment.random.token()
        try await server.network.webSessions.bindWebSession(secret, to: ada.caller)
        let first = try await server.network.webSessions.resumeWebSession(secret)
        server.clock.pass(.minutes(14))
        let second = try await server.network.webSessions.resumeWebSession(secret)
        for tokens in [ada.tokens, first, second] {
            #expect(try await server.network.signIn.authenticate(tokens.accessToken) == ada.caller)
        }
        server.clock.pass(.minutes(15))
        for tokens in [first, second, ada.tokens, first] {
            let renewed = try await server.network.signIn.refresh(tokens.refreshToken)
            #expect(try await server.network.signIn.authenticate(renewed.accessToken) == ada.caller)
        }
    }

    @Test func unknownSecretIsRejected() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        #expect(await isOver(server.environment.random.token(), server))
        #expect(await isOver(ada.tokens.accessToken, server))
        #expect(await isOver(ada.tokens.refreshToken, server))
    }

    @Test func newSecretReplacesTheOld() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let (old, new) = (server.environment.random.token(), server.environment.random.token())
        try await server.network.webSessions.bindWebSession(old, to: ada.caller)
        try await server.network.webSessions.bindWebSession(new, to: ada.caller)
        #expect(await isOver(old, server))
        #expect(try await server.network.webSessions.resumeWebSession(new).caller == ada.caller)
    }

    @Test func secretEndsOnlyWithItsSession() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let secrets = [server.environment.random.token(), server.environment.random.token()]
        try await server.network.webSessions.bindWebSession(secrets[0], to: ada.caller)
        try await server.network.webSessions.bindWebSession(secrets[1], to: tablet.caller)
        try await server.network.signIn.endSession(ada.caller.sessionID, of: tablet.caller)
        #expect(await isOver(secrets[0], server))
        #expect(
            try await server.network.webSessions.resumeWebSession(secrets[1]).caller
                == tablet.caller)
        #expect(
            await refusal {
                try await server.network.webSessions.bindWebSession(secrets[0], to: ada.caller)
            }
                == CommandError.sessionOver)
        try await server.network.accountDeletion.deleteAccount(of: tablet.caller)
        #expect(await isOver(secrets[1], server))
    }

    @Test func cookieExpiresAfter90UnusedDays() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let secret = server.environment.random.token()
        try await server.network.webSessions.bindWebSession(secret, to: ada.caller)
        server.clock.pass(.days(90) - .milliseconds(1))
        _ = try await server.network.webSessions.resumeWebSession(secret)
        server.clock.pass(.days(90))
        #expect(await isOver(secret, server))
    }

    @Test func theSecretIsStoredHashedOnly() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let secret = server.environment.random.token()
        try await server.network.webSessions.bindWebSession(secret, to: ada.caller)
        let stored = try await server.engine.read {
            try $0.query("SELECT secret_hash FROM web_sessions", []) {
                try $0["secret_hash"] as Data
            }
        }
        #expect(stored == [secret.hash])
    }
}
