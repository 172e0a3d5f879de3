import Foundation
import Synchronization
import Testing

@testable import LivePages

/// Closures must wait until a visible page has confirmed what it shows.
@Suite struct PageSightTests {
    private final class Counter: Sendable {
        let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private let host = DiaryHost()

    private func session(_ account: DiaryAccount) async -> DiarySession {
        let session = DiarySession(app: host.app(), backend: host.backend, resources: account)
        await session.start()
        return session
    }

    private func asked(_ browser: Browser) async throws -> [String] {
        let stream = try #require(browser.pageStream)
        let frames = try #require(await browser.session.frames(for: stream))
        return frames.filter { $0.hasPrefix("event: seen") }
    }

    @Test func openStreamAloneConfirmsNothing() async throws {
        let (account, acts) = (host.resources(), Counter())
        var browser = try await Browser(session(account))
        await browser.attach()
        account.sight?.whenSeen { acts.add() }
        #expect(try await asked(browser) == ["event: seen\ndata: 1\n\n"])
        #expect(acts.value == 0)
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 1)
        #expect(try await asked(browser) == [])
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 1)
    }

    @Test func waitingActWakesThePage() async throws {
        let account = host.resources()
        var browser = try await Browser(session(account))
        await browser.attach()
        _ = try await asked(browser)
        let wakes = try #require(browser.pageStream).wakes
        var iterator = wakes.makeAsyncIterator()
        // The first wake is the stream's own.
        _ = await iterator.next()
        account.sight?.whenSeen {}
        _ = await iterator.next()
        #expect(try await asked(browser) == ["event: seen\ndata: 1\n\n"])
    }

    @Test func pageConfirmsOnlyWhatItWasAsked() async throws {
        let (account, acts) = (host.resources(), Counter())
        var browser = try await Browser(session(account))
        await browser.attach()
        account.sight?.whenSeen { acts.add() }
        _ = try await asked(browser)
        account.sight?.whenSeen { acts.add() }
        await browser.session.confirmSight(2, from: browser.view)
        await browser.session.confirmSight(1, from: "another page")
        #expect(acts.value == 0)
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 1)
        #expect(try await asked(browser) == ["event: seen\ndata: 2\n\n"])
    }

    @Test func pageThatComesBackIsAskedAgain() async throws {
        let (account, acts) = (host.resources(), Counter())
        var browser = try await Browser(session(account))
        await browser.attach()
        account.sight?.whenSeen { acts.add() }
        _ = try await asked(browser)
        await browser.session.detach(try #require(browser.pageStream))
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 0, "the page was closed")
        await browser.attach()
        #expect(try await asked(browser) == ["event: seen\ndata: 1\n\n"])
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 1)
    }

    @Test func nothingWaitsForSomebodyElse() async throws {
        let (account, acts) = (host.resources(), Counter())
        var browser = try await Browser(session(account))
        await browser.attach()
        account.sight?.whenSeen { acts.add() }
        _ = try await asked(browser)
        account.signIn("ben")
        await browser.session.confirmSight(1, from: browser.view)
        #expect(acts.value == 0)
    }

    @Test func newestHundredActsAreKept() {
        let (sight, acts) = (PageSight(), Counter())
        for _ in 0..<101 { sight.whenSeen { acts.add() } }
        sight.confirm(1)
        #expect(acts.value == 0)
        sight.confirm(101)
        #expect(acts.value == 100)
    }
}
