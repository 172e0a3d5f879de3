import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite struct WebSessionsTests {
    private let desk = Desk()
    private let here = Visitor(address: "192.0.2.1")

    @Test func aSecretThatNobodyKnowsStandsForNothing() async throws {
        let sessions = desk.sessions()
        #expect(try await sessions.session(for: RandomBytes.system.token(), from: here) == nil)
        #expect(await sessions.count == 0)
    }

    @Test func aSessionWithoutAPageSleepsAndComesBackFromItsRow() async throws {
        let sessions = desk.sessions()
        let secret = desk.backend.makeToken()
        try await desk.backend.bind(secret, Desk.ada)
        let session = try #require(try await sessions.session(for: secret, from: here))
        var browser = try await Browser(session)
        await browser.attach()
        desk.pass(.seconds(3_600))
        await sessions.tick()
        #expect(await sessions.count == 1, "a page looks at it")
        await session.detach(try #require(browser.line))
        desk.pass(.seconds(299))
        await sessions.tick()
        #expect(await sessions.count == 1)
        desk.pass(.seconds(1))
        await sessions.tick()
        #expect(await sessions.count == 0)
        #expect(await session.isAsleep)
        let again = try #require(try await sessions.session(for: secret, from: here))
        #expect(again !== session)
        #expect(again.resources.identity == Desk.ada)
        #expect(desk.state.withLock { $0.resumed } == 2)
        // The page comes back and finds what it showed painted anew.
        let line = await again.attach(browser.view, generation: browser.generation)
        let frames = try #require(await again.frames(for: line))
        #expect(frames.first?.contains("\"view\":") == true)
    }

    @Test(.timeLimit(.minutes(5))) func nothingIsLeftOfASessionThatSleeps() async throws {
        let sessions = desk.sessions()
        let secret = desk.backend.makeToken()
        try await desk.backend.bind(secret, Desk.ada)
        weak var session: WebSession<Diary>?
        do {
            let awake = try #require(try await sessions.session(for: secret, from: here))
            var browser = try await Browser(awake)
            await browser.attach()
            await awake.detach(try #require(browser.line))
            session = awake
        }
        desk.pass(.seconds(3_600))
        await sessions.tick()
        while session != nil { await Task.yield() }
    }

    @Test func twoRequestsAwakenASessionOnce() async throws {
        let sessions = desk.sessions()
        let secret = desk.backend.makeToken()
        try await desk.backend.bind(secret, Desk.ada)
        async let first = sessions.session(for: secret, from: here)
        async let second = sessions.session(for: secret, from: here)
        let both = try await (first, second)
        #expect(both.0 != nil && both.0 === both.1)
        #expect(desk.state.withLock { $0.made } == 1)
    }

    @Test func aServerThatStartsAgainKnowsItsCookies() async throws {
        let secret = desk.backend.makeToken()
        try await desk.backend.bind(secret, Desk.ada)
        for _ in 0..<2 {
            let sessions = desk.sessions()
            let session = try #require(try await sessions.session(for: secret, from: here))
            #expect(session.resources.identity == Desk.ada)
            await sessions.close()
            #expect(await session.isAsleep)
            await #expect(throws: PageError.tooManySessions) {
                _ = try await sessions.newSession(for: here)
            }
        }
    }

    @Test func thereIsAnEndToTheirNumber() async throws {
        var limits = WebSessions<Diary>.Limits()
        limits.sessions = 3
        let sessions = desk.sessions(limits: limits)
        var kept: [Browser] = []
        for _ in 0..<3 {
            var browser = try await Browser(sessions.newSession(for: here).session)
            await browser.attach()
            kept.append(browser)
        }
        await #expect(throws: PageError.tooManySessions) {
            _ = try await sessions.newSession(for: here)
        }
        // One that nobody looks at makes room.
        await kept[0].session.detach(try #require(kept[0].line))
        _ = try await sessions.newSession(for: here)
        #expect(await sessions.count == 3)
    }

    // MARK: Signing in

    private func signedIn() async throws -> (
        sessions: WebSessions<Diary>, secret: Token, browser: Browser, other: Browser, ticket: Token
    ) {
        let sessions = desk.sessions(signingIn: Desk.ada)
        let (secret, session) = try await sessions.newSession(for: here)
        // Somebody who had planted the cookie has a page of the same session.
        var other = try await Browser(session)
        await other.attach()
        var browser = try await Browser(session)
        await browser.attach()
        let line = try #require(browser.line)
        _ = await session.frames(for: line)
        #expect(try await browser.press("Sign in") == .done)
        var ticket: Token?
        for await _ in line.wakes {
            let frames = try #require(await session.frames(for: line))
            if let frame = frames.first(where: { $0.hasPrefix("event: session\n") }) {
                ticket = frame.firstMatch(of: #/data: "([^"]*)"/#).flatMap { Token(String($0.1)) }
                break
            }
        }
        return (sessions, secret, browser, other, try #require(ticket))
    }

    @Test func signingInChangesTheCookie() async throws {
        let (sessions, secret, browser, _, ticket) = try await signedIn()
        let new = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        #expect(new != secret)
        #expect(desk.state.withLock { $0.rows[new.hash] } == Desk.ada)
        #expect(desk.state.withLock { $0.rows[secret.hash] } == nil)
        #expect(try await sessions.session(for: new, from: here) === browser.session)
        // Once it has been seen, the one before is nobody's.
        #expect(try await sessions.session(for: secret, from: here) == nil)
        #expect(await browser.session.openPage() != nil)
    }

    @Test func whoHadPlantedTheCookieHasNothingOfIt() async throws {
        let (sessions, secret, browser, other, ticket) = try await signedIn()
        let session = browser.session
        #expect(await session.openPage() == nil)
        #expect(await !session.admits(other.view))
        #expect(await !session.admits(nil))
        #expect(await session.admits(browser.view))
        let otherLine = try #require(other.line)
        #expect(await session.frames(for: otherLine) == nil)
        #expect(await session.take([], from: other.view) == nil)
        #expect(try await sessions.rotate(secret, ticket: ticket, view: other.view) == nil)
        #expect(
            try await sessions.rotate(secret, ticket: desk.backend.makeToken(), view: browser.view)
                == nil)
        #expect(
            try await sessions.rotate(desk.backend.makeToken(), ticket: ticket, view: browser.view)
                == nil)
    }

    /// The page was left while the code was being checked.
    @Test func withoutThePageThatSignedInNobodyGoesOn() async throws {
        let sessions = desk.sessions(signingIn: Desk.ada)
        let (secret, session) = try await sessions.newSession(for: here)
        let planted = try await Browser(session)
        session.resources.credentials.save(.some(of: Desk.ada))
        #expect(await !session.admits(planted.view))
        #expect(await session.openPage() == nil)
        #expect(await session.take([], from: planted.view) == nil)
        #expect(
            try await sessions.rotate(secret, ticket: desk.backend.makeToken(), view: planted.view)
                == nil)
    }

    @Test func anAnswerThatWasLostCanBeAskedForAgain() async throws {
        let (sessions, secret, browser, _, ticket) = try await signedIn()
        let lost = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        let second = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        #expect(lost != second)
        #expect(desk.state.withLock { $0.rows[second.hash] } == Desk.ada)
        #expect(try await sessions.session(for: second, from: here) === browser.session)
        #expect(try await sessions.rotate(second, ticket: ticket, view: browser.view) == nil)
    }
}
