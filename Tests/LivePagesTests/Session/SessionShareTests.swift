import ComposableArchitecture
import Cryptography
import Foundation
import Testing

@testable import LivePages

/// Anyone can start a session, so one visitor must not use up all sessions.
@Suite(.timeLimit(.minutes(5))) struct SessionShareTests {
    private let host = DiaryHost()

    private func visitor(_ address: String, network: String? = nil) -> Visitor {
        Visitor(
            address: address, origin: VisitorOrigin(address: address, network: network))
    }

    private func page(_ sessions: DiarySessions, from visitor: Visitor) async throws -> Browser {
        var browser = try await Browser(sessions.newSession(for: visitor).session)
        await browser.attach()
        return browser
    }

    private func isRefused(_ sessions: DiarySessions, from visitor: Visitor) async throws -> Bool {
        do {
            _ = try await sessions.newSession(for: visitor)
            return false
        } catch PageError.tooManySessions {
            return true
        }
    }

    private func page(_ sessions: DiarySessions, of name: String) async throws -> Browser {
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, name)
        var browser = try await Browser(
            try #require(try await sessions.session(for: secret, from: visitor("192.0.2.1"))))
        await browser.attach()
        return browser
    }

    /// Returns the ticket for a new cookie. Waits for the sign-in.
    private func ticket(of session: DiarySession) async -> Token {
        while true {
            if let ticket = await session.rotation?.ticket { return ticket }
            await Task.yield()
        }
    }

    @Test func anonymousSessionsLeaveReservedPlaces() async throws {
        var limits = DiarySessions.Limits()
        (limits.sessions, limits.anonymous) = (4, 1)
        let sessions = host.sessions(limits: limits)
        let first = try await page(sessions, from: visitor("192.0.2.1"))
        #expect(try await isRefused(sessions, from: visitor("192.0.2.2")))
        var kept: [Browser] = []
        for name in ["ada", "ben", "cleo"] { kept.append(try await page(sessions, of: name)) }
        #expect(await sessions.count == 4)
        #expect(await !first.session.isAsleep)
    }

    @Test func idleAnonymousSessionsMakeRoom() async throws {
        var limits = DiarySessions.Limits()
        limits.anonymous = 1
        let sessions = host.sessions(limits: limits)
        let first = try await page(sessions, from: visitor("192.0.2.1"))
        await first.session.detach(try #require(first.pageStream))
        host.pass(.seconds(9))
        #expect(try await isRefused(sessions, from: visitor("192.0.2.2")))
        host.pass(.seconds(1))
        #expect(try await !isRefused(sessions, from: visitor("192.0.2.2")))
        #expect(await first.session.isAsleep)
    }

    @Test func addressHasQuota() async throws {
        let sessions = host.sessions()
        var kept: [Browser] = []
        for _ in 0..<100 { kept.append(try await page(sessions, from: visitor("192.0.2.1"))) }
        #expect(try await isRefused(sessions, from: visitor("192.0.2.1")))
        #expect(try await !isRefused(sessions, from: visitor("192.0.2.2")))
        // Sessions of signed-in people don't count towards the limit.
        kept.append(try await page(sessions, of: DiaryHost.ada))
        // The session whose page was closed first is removed.
        for index in [7, 3] {
            await kept[index].session.detach(try #require(kept[index].pageStream))
            host.pass(.milliseconds(1))
        }
        #expect(try await !isRefused(sessions, from: visitor("192.0.2.1")))
        #expect(await kept[7].session.isAsleep)
        #expect(await !kept[3].session.isAsleep)
    }

    @Test func networkHasQuota() async throws {
        var limits = DiarySessions.Limits()
        limits.anonymousPerNetwork = 3
        let sessions = host.sessions(limits: limits)
        var kept: [Browser] = []
        for address in ["a", "b", "c"] {
            kept.append(try await page(sessions, from: visitor(address, network: "x")))
        }
        #expect(try await isRefused(sessions, from: visitor("d", network: "x")))
        #expect(try await !isRefused(sessions, from: visitor("d", network: "y")))
        #expect(try await !isRefused(sessions, from: visitor("192.0.2.1")))
    }

    @Test func signedInPersonReplacesAnonymousSession() async throws {
        var limits = DiarySessions.Limits()
        limits.sessions = 3
        let sessions = host.sessions(limits: limits)
        let alone = try await page(sessions, from: visitor("192.0.2.2"))
        let crowd = [
            try await page(sessions, from: visitor("192.0.2.1")),
            try await page(sessions, from: visitor("192.0.2.1")),
        ]
        var kept = [try await page(sessions, of: "ada")]
        // The oldest session of the address with the most sessions was removed.
        #expect(await crowd[0].session.isAsleep)
        #expect(await !crowd[1].session.isAsleep)
        #expect(await !alone.session.isAsleep)
        for name in ["ben", "cleo"] { kept.append(try await page(sessions, of: name)) }
        #expect(await alone.session.isAsleep)
        #expect(await sessions.count == 3)
        await #expect(throws: PageError.tooManySessions) {
            _ = try await page(sessions, of: "dan")
        }
        for browser in kept { #expect(await !browser.session.isAsleep) }
    }

    @Test func signInFreesAnonymousPlace() async throws {
        var limits = DiarySessions.Limits()
        limits.anonymousPerAddress = 1
        let sessions = host.sessions(signingIn: DiaryHost.ada, limits: limits)
        let (secret, session) = try await sessions.newSession(for: visitor("192.0.2.1"))
        var browser = try await Browser(session)
        await browser.attach()
        #expect(try await isRefused(sessions, from: visitor("192.0.2.1")))
        #expect(try await browser.press("Sign in") == .done)
        let ticket = await ticket(of: session)
        let new = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        #expect(try await !isRefused(sessions, from: visitor("192.0.2.1")))
        #expect(await sessions.identity(of: new) == DiaryHost.ada)
    }

    @Test func onlyAwakeSessionHasIdentity() async throws {
        let sessions = host.sessions()
        let (anonymous, _) = try await sessions.newSession(for: visitor("192.0.2.1"))
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        #expect(await sessions.identity(of: secret) == nil, "it sleeps")
        _ = try await sessions.session(for: secret, from: visitor("192.0.2.1"))
        #expect(await sessions.identity(of: secret) == DiaryHost.ada)
        #expect(await sessions.identity(of: anonymous) == nil)
        #expect(await sessions.identity(of: host.backend.makeToken()) == nil)
    }
}
