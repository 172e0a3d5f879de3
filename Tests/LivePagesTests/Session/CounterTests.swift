import Cryptography
import Foundation
import Testing

@testable import LivePages

/// Tests a second app on LivePages: rendering, patches, events, and resumed sessions.
@Suite struct CounterTests {
    private let server = CounterServer()
    private let visitor = Visitor(address: "192.0.2.1")

    @Test func counterIsRendered() async throws {
        let session = try await server.sessions().newSession(for: visitor).session
        let page = try #require(await session.openPage())
        #expect(page.html.contains("<h1>Counter</h1>"))
        #expect(page.outline == Outline(path: "/", title: "Counter: 0"))
    }

    @Test func pressChangesOnlyItsPart() async throws {
        let page = try await CounterPage(server.sessions().newSession(for: visitor).session)
        #expect(try await page.do(1, "tap", "Add") == [.done])
        let frames = try #require(await page.session.frames(for: page.pageStream))
        #expect(frames.contains { $0.contains(">1</output>") && $0.contains("Counter: 1") })
        #expect(!frames.contains { $0.contains("<form") })
    }

    @Test func typedAndSubmittedTextArrives() async throws {
        let page = try await CounterPage(server.sessions().newSession(for: visitor).session)
        _ = try await page.do(1, "input", "", .text("5 apples"))
        #expect(await page.session.withState { $0.step } == "5 apples")
        _ = await page.session.frames(for: page.pageStream)
        _ = try await page.do(2, "submit", "")
        #expect(await page.session.withState { $0.step } == "1")
    }

    @Test func eventIsHandledOnceAndForgedOneRefused() async throws {
        let page = try await CounterPage(server.sessions().newSession(for: visitor).session)
        for _ in 1...3 { #expect(try await page.do(1, "tap", "Add") == [.done]) }
        #expect(await page.session.withState { $0.count } == 1)
        let forged = PageEvent(number: 2, target: .handler(part: "x", index: 0, generation: 1))
        #expect(await page.session.handle([forged], from: page.view) == [.refused])
        #expect(try await page.do(3, "tap", "Add", .text("not a press")) == [.refused])
    }

    @Test func counterPathIsOpened() async throws {
        let page = try await CounterPage(server.sessions().newSession(for: visitor).session)
        await page.session.open("/words")
        #expect(await page.session.outline.path == "/words")
        let frames = try #require(await page.session.frames(for: page.pageStream))
        #expect(frames.contains { $0.contains("It counts.") })
    }

    /// The app can open paths only after the sign-in.
    @Test(arguments: [("/", "/"), ("/words", "/words")])
    func onlyPathsThatAreNotShownWait(path: String, later: String) async throws {
        var app = PageApp.counter
        app.canOpen = { _, state in state.name != nil }
        let page = try await CounterPage(
            server.sessions(of: app).newSession(for: visitor).session)
        await page.session.open(path)
        #expect(await page.session.outline.path == "/")
        _ = try await page.do(1, "tap", "Sign in")
        #expect(await page.session.outline.path == later)
    }

    @Test func shownPathDoesNotLeadBackLater() async throws {
        var app = PageApp.counter
        app.canOpen = { _, state in state.isExplained }
        let page = try await CounterPage(
            server.sessions(of: app).newSession(for: visitor).session)
        await page.session.open("/")
        await page.session.send(.explained(true))
        await page.session.render()
        #expect(await page.session.outline.path == "/words")
    }

    @Test func cookieResumesSleepingSession() async throws {
        let sessions = server.sessions()
        let (secret, session) = try await sessions.newSession(for: visitor)
        let page = try await CounterPage(session)
        _ = try await page.do(1, "tap", "Sign in")
        _ = try await page.do(2, "tap", "Add")
        let frames = try #require(await session.frames(for: page.pageStream))
        let tickets = frames.compactMap {
            $0.firstMatch(of: #/event: session\ndata: "([^"]*)"/#)?.1
        }
        let ticket = try #require(tickets.first)
        let token = try #require(Token(String(ticket)))
        let new = try #require(
            try await sessions.rotate(secret, ticket: token, view: page.view))

        await session.detach(page.pageStream)
        await sessions.sweep(idle: .zero)
        #expect(await sessions.count == 0 && server.ends > 0)
        let again = try #require(try await sessions.session(for: new, from: visitor))
        #expect(again !== session && again.resources.identity == "ada")
        #expect(await again.withState { $0.count } == 1)
        #expect(try await sessions.session(for: secret, from: visitor) == nil)
    }
}

private struct CounterPage {
    let session: PageSession<Counter, CounterAccount>
    let view: String
    let pageStream: PageStream

    init(_ session: PageSession<Counter, CounterAccount>) async throws {
        self.session = session
        let page = try #require(await session.openPage())
        view = page.view
        pageStream = await session.attach(page.view, generation: page.generation)
    }

    /// Sends an event for the element with a text and a kind of handler.
    func `do`(_ number: Int, _ kind: String, _ words: String, _ value: EventValue = .none)
        async throws -> [PageEventResult]
    {
        let (markup, generation) = await session.shownMarkup
        let pattern = try Regex("data-\(kind)=\"(\\d+)\"[^>]*>\(words)")
        let match = try #require(markup.firstMatch(of: pattern))
        let index = try #require(match[1].substring.flatMap { Int($0) })
        let before = markup[..<match.range.upperBound]
        let part = try #require(before.matches(of: #/data-p="([^"]*)"/#).last?.1)
        let target = PageEvent.Target.handler(
            part: String(part), index: index, generation: generation)
        return try #require(
            await session.handle(
                [PageEvent(number: number, target: target, value: value)], from: view))
    }
}

extension PageSession {
    fileprivate var shownMarkup: (String, Int) {
        (wholeMarkup, rendering.generation)
    }
}
