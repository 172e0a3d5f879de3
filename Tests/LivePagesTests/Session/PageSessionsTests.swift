import ComposableArchitecture
import Cryptography
import Foundation
import Testing

@testable import LivePages

@Suite struct PageSessionsTests {
    private let host = DiaryHost()
    private let here = Visitor(address: "192.0.2.1")

    @Test func unknownSecretHasNoSession() async throws {
        let sessions = host.sessions()
        #expect(try await sessions.session(for: RandomBytes.system.token(), from: here) == nil)
        #expect(await sessions.count == 0)
    }

    @Test func idleSessionSleepsAndIsRestored() async throws {
        let sessions = host.sessions()
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        let session = try #require(try await sessions.session(for: secret, from: here))
        var browser = try await Browser(session)
        await browser.attach()
        host.pass(.seconds(3_600))
        await sessions.tick()
        #expect(await sessions.count == 1, "a page looks at it")
        await session.detach(try #require(browser.pageStream))
        host.pass(.seconds(299))
        await sessions.tick()
        #expect(await sessions.count == 1)
        host.pass(.seconds(1))
        await sessions.tick()
        #expect(await sessions.count == 0)
        #expect(await session.isAsleep)
        let again = try #require(try await sessions.session(for: secret, from: here))
        #expect(again !== session)
        #expect(again.resources.identity == DiaryHost.ada)
        #expect(host.state.withLock { $0.resumed } == 2)
        // The page comes back and gets all of its parts again.
        let pageStream = await again.attach(browser.view, generation: browser.generation)
        let frames = try #require(await again.frames(for: pageStream))
        #expect(frames.first?.contains("\"view\":") == true)
    }

    @Test(.timeLimit(.minutes(5))) func sleepingSessionIsDeallocated() async throws {
        let sessions = host.sessions()
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        weak var session: DiarySession?
        do {
            let awake = try #require(try await sessions.session(for: secret, from: here))
            var browser = try await Browser(awake)
            await browser.attach()
            await awake.detach(try #require(browser.pageStream))
            session = awake
        }
        host.pass(.seconds(3_600))
        await sessions.tick()
        while session != nil { await Task.yield() }
    }

    @Test func concurrentRequestsWakeSessionOnce() async throws {
        let sessions = host.sessions()
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        async let first = sessions.session(for: secret, from: here)
        async let second = sessions.session(for: secret, from: here)
        let both = try await (first, second)
        #expect(both.0 != nil && both.0 === both.1)
        #expect(host.state.withLock { $0.made } == 1)
    }

    @Test func cookiesSurviveServerRestart() async throws {
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        for _ in 0..<2 {
            let sessions = host.sessions()
            let session = try #require(try await sessions.session(for: secret, from: here))
            #expect(session.resources.identity == DiaryHost.ada)
            await sessions.close()
            #expect(await session.isAsleep)
            await #expect(throws: PageError.tooManySessions) {
                _ = try await sessions.newSession(for: here)
            }
        }
    }

    @Test func numberOfSessionsIsLimited() async throws {
        var limits = DiarySessions.Limits()
        limits.sessions = 3
        let sessions = host.sessions(limits: limits)
        var kept: [Browser] = []
        for _ in 0..<3 {
            var browser = try await Browser(sessions.newSession(for: here).session)
            await browser.attach()
            kept.append(browser)
        }
        await #expect(throws: PageError.tooManySessions) {
            _ = try await sessions.newSession(for: here)
        }
        // A session without an open page makes room.
        await kept[0].session.detach(try #require(kept[0].pageStream))
        _ = try await sessions.newSession(for: here)
        #expect(await sessions.count == 3)
    }

    // MARK: Signing in

    private func signedIn() async throws -> (
        sessions: DiarySessions, secret: Token, browser: Browser, other: Browser, ticket: Token
    ) {
        let sessions = host.sessions(signingIn: DiaryHost.ada)
        let (secret, session) = try await sessions.newSession(for: here)
        // The page of an attacker who has planted the cookie.
        var other = try await Browser(session)
        await other.attach()
        var browser = try await Browser(session)
        await browser.attach()
        let pageStream = try #require(browser.pageStream)
        _ = await session.frames(for: pageStream)
        #expect(try await browser.press("Sign in") == .done)
        var ticket: Token?
        for await _ in pageStream.wakes {
            let frames = try #require(await session.frames(for: pageStream))
            if let frame = frames.first(where: { $0.hasPrefix("event: session\n") }) {
                ticket = frame.firstMatch(of: #/data: "([^"]*)"/#).flatMap { Token(String($0.1)) }
                break
            }
        }
        return (sessions, secret, browser, other, try #require(ticket))
    }

    @Test func signInChangesCookie() async throws {
        let (sessions, secret, browser, _, ticket) = try await signedIn()
        let new = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        #expect(new != secret)
        #expect(host.state.withLock { $0.rows[new.hash] } == DiaryHost.ada)
        #expect(host.state.withLock { $0.rows[secret.hash] } == nil)
        #expect(try await sessions.session(for: new, from: here) === browser.session)
        // The first use of the new cookie makes the old cookie invalid.
        #expect(try await sessions.session(for: secret, from: here) == nil)
        #expect(await browser.session.openPage() != nil)
    }

    @Test func plantedCookieIsUselessAfterSignIn() async throws {
        let (sessions, secret, browser, other, ticket) = try await signedIn()
        let session = browser.session
        #expect(await session.openPage() == nil)
        #expect(await !session.admits(other.view))
        #expect(await !session.admits(nil))
        #expect(await session.admits(browser.view))
        let otherStream = try #require(other.pageStream)
        #expect(await session.frames(for: otherStream) == nil)
        #expect(await session.handle([], from: other.view) == nil)
        #expect(try await sessions.rotate(secret, ticket: ticket, view: other.view) == nil)
        #expect(
            try await sessions.rotate(secret, ticket: host.backend.makeToken(), view: browser.view)
                == nil)
        #expect(
            try await sessions.rotate(host.backend.makeToken(), ticket: ticket, view: browser.view)
                == nil)
    }

    /// The attacker's page sends an event between the user's press and the sign-in.
    @Test func attackerWhoSendsEventsGetsNoTicket() async throws {
        let sessions = host.sessions()
        let (secret, session) = try await sessions.newSession(for: here)
        var attacker = try await Browser(session)
        await attacker.attach()
        var user = try await Browser(session)
        await user.attach()
        #expect(try await user.press("Visit") == .done)
        #expect(try await attacker.press("Visit") == .done)
        session.resources.signIn(DiaryHost.ada)
        #expect(await !session.admits(attacker.view))
        #expect(await !session.admits(user.view))
        #expect(await session.viewCount == 0)
        let ticket = try #require(await session.rotation?.ticket)
        for view in [attacker.view, user.view] {
            #expect(try await sessions.rotate(secret, ticket: ticket, view: view) == nil)
        }
    }

    @Test func movedSessionIgnoresEarlierPages() async throws {
        let sessions = host.sessions()
        let (secret, session) = try await sessions.newSession(for: here)
        var attacker = try await Browser(session)
        await attacker.attach()
        #expect(try await attacker.press("Visit") == .done)
        let moved = try #require(await sessions.move(session, from: secret))
        #expect(await sessions.move(session, from: secret) == nil, "another load has moved it")
        #expect(try await sessions.session(for: secret, from: here) == nil)
        #expect(try await sessions.session(for: moved, from: here) === session)
        let stream = try #require(attacker.pageStream)
        #expect(await session.frames(for: stream) == nil)
        #expect(await session.unseenSince != nil)
        var user = try await Browser(session)
        #expect(try await user.press("Visit") == .done)
        session.resources.signIn(DiaryHost.ada)
        #expect(await session.admits(user.view))
        #expect(await !session.admits(attacker.view))
        #expect(await sessions.move(session, from: moved) == nil, "it is signed in")
    }

    /// A page may have reached the session with a cookie that an attacker planted after the load.
    @Test func sessionWithUnknownPageDoesNotMove() async throws {
        let sessions = host.sessions()
        let (secret, session) = try await sessions.newSession(for: here)
        _ = await session.attach("of another session", generation: 1)
        #expect(await sessions.move(session, from: secret) == nil)
        #expect(try await sessions.session(for: secret, from: here) === session)
    }

    @Test func movedSessionCountsTowardsQuota() async throws {
        var limits = DiarySessions.Limits()
        limits.anonymous = 1
        let sessions = host.sessions(limits: limits)
        let (secret, session) = try await sessions.newSession(for: here)
        _ = try #require(await sessions.move(session, from: secret))
        await #expect(throws: PageError.tooManySessions) {
            _ = try await sessions.newSession(for: here)
        }
        await sessions.sweep(idle: .zero)
        _ = try await sessions.newSession(for: here)
        #expect(await sessions.count == 1)
    }

    @Test func eventsBeforeSignOutDoNotPreventSignIn() async throws {
        let sessions = host.sessions()
        let secret = host.backend.makeToken()
        try await host.backend.bind(secret, DiaryHost.ada)
        let session = try #require(try await sessions.session(for: secret, from: here))
        var (first, second) = (try await Browser(session), try await Browser(session))
        #expect(try await first.press("Visit") == .done)
        #expect(try await second.press("Visit") == .done)
        session.resources.signOut()
        #expect(try await second.press("Visit") == .done)
        session.resources.signIn(DiaryHost.ada)
        #expect(await session.admits(second.view))
        #expect(await !session.admits(first.view))
    }

    /// The user left the page while the server was checking the code.
    @Test func withoutSigningInPageNoPageContinues() async throws {
        let sessions = host.sessions(signingIn: DiaryHost.ada)
        let (secret, session) = try await sessions.newSession(for: here)
        let planted = try await Browser(session)
        session.resources.signIn(DiaryHost.ada)
        #expect(await !session.admits(planted.view))
        #expect(await session.openPage() == nil)
        #expect(await session.handle([], from: planted.view) == nil)
        #expect(
            try await sessions.rotate(secret, ticket: host.backend.makeToken(), view: planted.view)
                == nil)
    }

    @Test func lostNewCookieCanBeRequestedAgain() async throws {
        let (sessions, secret, browser, _, ticket) = try await signedIn()
        let lost = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        let second = try #require(
            try await sessions.rotate(secret, ticket: ticket, view: browser.view))
        #expect(lost != second)
        #expect(host.state.withLock { $0.rows[second.hash] } == DiaryHost.ada)
        #expect(try await sessions.session(for: second, from: here) === browser.session)
        #expect(try await sessions.rotate(second, ticket: ticket, view: browser.view) == nil)
    }
}
