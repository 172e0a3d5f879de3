import ComposableArchitecture
import Cryptography
import Foundation
import Testing

@testable import LivePages

extension PageSessionTests {
    @Test func reopenedStreamContinuesOrRepaints() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        let first = try #require(browser.pageStream)
        _ = try await frames(browser)
        await browser.session.detach(first)
        await browser.attach()
        #expect(try await frames(browser) == [time, "event: alive\ndata: 0\n\n"])
        // The server has written a change that didn't reach the page.
        #expect(try await browser.press("Visit") == .done)
        _ = try await frames(browser)
        await browser.attach()
        let repaint = try await frames(browser)
        #expect(
            repaint.first?.contains("\"view\":") == true
                && repaint.first?.contains("1 visits") == true)
        #expect(await browser.session.frames(for: first) == nil)
    }

    @Test func unknownPageIsRepaintedWithNewID() async throws {
        let session = await session()
        let pageStream = await session.attach("long gone", generation: 12)
        #expect(pageStream.view != "long gone")
        let frames = try #require(await session.frames(for: pageStream))
        #expect(frames.first?.contains("\"view\":\"\(pageStream.view)\"") == true)
    }

    @Test func surplusPagesAreAskedToCloseStreams() async throws {
        let session = await session()
        var browsers: [Browser] = []
        for _ in 0..<5 {
            for browser in browsers {
                #expect(try await !frames(browser).contains("event: rest\ndata: 0\n\n"))
            }
            var browser = try await Browser(session)
            await browser.attach()
            browsers.append(browser)
        }
        for browser in browsers {
            #expect(try await frames(browser).contains("event: rest\ndata: 0\n\n"))
        }
        await session.detach(try #require(browsers[0].pageStream))
        #expect(try await frames(browsers[1]) == [])
    }

    @Test func returningPageReopensItsPath() async throws {
        let session = await session()
        await session.comeBack(to: "/sheet", within: .seconds(1))
        #expect(await session.outline.path == "/sheet")
        // Another open page keeps the session at its path.
        _ = try await Browser(session)
        await session.comeBack(to: "/", within: .seconds(1))
        #expect(await session.outline.path == "/sheet")
    }

    /// After a restart of the server, an old page reconnects while the browser opens a new page.
    @Test func returningPageDoesNotOverrideOpeningOne() async throws {
        host.state.withLock { $0.holdsLoading = true }
        let session = await session()
        async let page = session.openPage(at: "/sheet", within: .seconds(1))
        while await session.arrivals == 0 { await Task.yield() }
        await session.comeBack(to: "/", within: .seconds(1))
        await host.loads.open()
        #expect(await page?.outline.path == "/sheet")
        #expect(await session.arrivals == 0)
        host.wakeSleepers()
    }

    /// If the stream didn't end, its request would keep the connection and the session forever.
    @Test(.timeLimit(.minutes(5))) func detachedStreamEnds() async throws {
        let session = await session()
        let view = try await Browser(session).view
        let pageStream = await session.attach(view, generation: 1)
        let reading = Task { for await _ in pageStream.wakes {} }
        await session.detach(pageStream)
        await reading.value
        #expect(await !session.hasStream)
    }
}
