import ComposableArchitecture
import Cryptography
import Foundation
import Testing

@testable import LivePages

@Suite struct PageSessionTests {
    let host = DiaryHost()
    /// The stream's first event, with the time of `DiaryHost`.
    let time = "event: time\ndata: 1772366400000\n\n"

    func session() async -> DiarySession {
        let session = DiarySession(
            app: host.app(), backend: host.backend, resources: host.resources())
        await session.start()
        return session
    }

    func frames(_ browser: Browser) async throws -> [String] {
        let pageStream = try #require(browser.pageStream)
        return try #require(await browser.session.frames(for: pageStream))
    }

    private static var currentExecutor: UnownedTaskExecutor? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor }
    }

    @Test func renderingRunsOnTheSessionsExecutor() async throws {
        let executor = SessionExecutor()
        let session = DiarySession(
            app: host.app(), backend: host.backend,
            resources: DiaryAccount(nil, executor: executor))
        let current = await session.onExecutor { Self.currentExecutor }
        #expect(current == executor.asUnownedTaskExecutor())
    }

    @Test func pressChangesItsPart() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        _ = try await frames(browser)
        #expect(try await browser.press("Visit") == .done)
        let frames = try await frames(browser)
        #expect(
            frames.count == 3 && frames[0].hasPrefix("event: patch\n")
                && frames[1] == time && frames[2] == "event: alive\ndata: 1\n\n")
        #expect(frames[0].contains("1 visits") && !frames[0].contains("Add"))
        #expect(frames[0].utf8.count < 4 * 1024)
    }

    @Test func shownMarkupIsForgottenAndMadeAgain() async throws {
        let session = await session()
        var browser = try await Browser(session)
        #expect(await session.hasMarkup)
        await browser.attach()
        _ = try await frames(browser)
        #expect(await !session.hasMarkup)
        let page = try #require(await session.openPage())
        #expect(page.html == browser.markup)
        #expect(try await browser.press("Visit") == .done)
        #expect(try await frames(browser)[0].contains("1 visits"))
        #expect(await session.hasMarkup, "the other page doesn't show it yet")
        host.pass(.seconds(61))
        await session.keepAlive()
        _ = try await frames(browser)
        #expect(await !session.hasMarkup)
        let back = await session.attach(page.view, generation: page.generation)
        let patch = try #require(await session.frames(for: back)?.first)
        #expect(patch.contains("1 visits") && !patch.contains("Add"))
        // A page drops its unsent presses when it is repainted.
        #expect(!patch.contains("\"view\":"))
    }

    @Test func returningPageLacksNothingThatWasForgotten() async throws {
        let session = await session()
        var (browser, away) = (try await Browser(session), try await Browser(session))
        await away.attach()
        _ = try await frames(away)
        await session.detach(try #require(away.pageStream))
        host.pass(.seconds(61))
        await browser.attach()
        for words in ["Add", "Visit", "Add"] {
            #expect(try await browser.press(words) == .done)
            _ = try await frames(browser)
            #expect(await !session.hasMarkup)
        }
        let visit = try away.target("Visit")
        await away.attach()
        #expect(await away.send(visit) == .done)
        let patch = try #require(try await frames(away).first)
        #expect(patch.contains("2 visits") && patch.contains("Remove"))
        #expect(!patch.contains("\"view\":"))
        #expect(try await frames(away) == [])
    }

    @Test func unrenderedTargetIsRefused() async throws {
        var browser = try await Browser(session())
        let visit = try browser.target("Visit")
        guard case .handler(let part, let index, let generation) = visit else {
            throw CancellationError()
        }
        let forged: [PageEvent.Target] = [
            .handler(part: "AAAAAAAA", index: 0, generation: generation),
            .handler(part: part, index: 99, generation: generation),
            .handler(part: part, index: -1, generation: generation),
            .handler(part: part, index: index, generation: generation + 1),
            .handler(part: part, index: index, generation: -1),
            .handler(part: "", index: 0, generation: generation),
        ]
        for target in forged { #expect(await browser.send(target) == .refused) }
        // The first event has a value of the wrong kind. The second event comes from an unknown
        // page.
        #expect(await browser.send(visit, .text("x")) == .refused)
        #expect(await browser.session.handle([], from: "nobody") == nil)
        #expect(await browser.send(visit) == .done)
    }

    @Test func pageOfOtherSessionIsUnknown() async throws {
        let (ada, ben) = (try await Browser(session()), try await Browser(session()))
        let event = PageEvent(number: 1, target: try ada.target("Visit"))
        #expect(await ben.session.handle([event], from: ada.view) == nil)
        #expect(await ada.session.handle([event], from: ada.view) == [.done])
    }

    @Test func pressCarriesCurrentStateOfUnchangedPage() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        var other = try await Browser(browser.session)
        #expect(try await other.press("Change unseen") == .done)
        #expect(try await browser.press("Set visits") == .done)
        #expect(try await frames(browser)[0].contains("7 visits"))
    }

    @Test func removedButtonCannotBePressed() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        #expect(await browser.send(try browser.target("Add")) == .done)
        let page = try await Browser(browser.session)
        let remove = try page.target("Remove")
        // The page may not have received the new generation, so the previous generation is still
        // valid.
        #expect(
            await browser.session.handle([PageEvent(number: 1, target: remove)], from: page.view)
                == [
                    .done
                ])
        var other = try await Browser(browser.session)
        #expect(await other.send(remove) == .refused)
    }

    @Test func oldPressCountsWhilePartIsUnchanged() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        let (visit, add) = (try browser.target("Visit"), try browser.target("Add"))
        for _ in 0..<5 {
            #expect(await browser.send(add) == .done)
            _ = try await frames(browser)
        }
        guard case .handler(let part, let index, _) = visit else { throw CancellationError() }
        let seen = PageEvent.Target.handler(
            part: part, index: index, generation: try await Browser(browser.session).generation)
        #expect(await browser.send(visit) == .done)
        _ = try await frames(browser)
        // The part looks different now, but the page may not have received the changes.
        for _ in 0..<6 {
            #expect(await browser.send(try browser.target("Add")) == .done)
            _ = try await frames(browser)
        }
        #expect(await browser.send(seen) == .done)
        _ = try await frames(browser)
        for _ in 0..<8 {
            #expect(await browser.send(try browser.target("Add")) == .done)
            _ = try await frames(browser)
        }
        #expect(await browser.send(seen) == .refused)
    }

    @Test func resentEventIsNotRepeated() async throws {
        let browser = try await Browser(session())
        let event = PageEvent(number: 1, target: try browser.target("Visit"))
        #expect(await browser.session.handle([event], from: browser.view) == [.done])
        #expect(await browser.session.handle([event], from: browser.view) == [.done])
        #expect(await browser.session.markup.contains("1 visits"))
    }

    @Test func batchedEventsUseSamePage() async throws {
        let browser = try await Browser(session())
        let visit = try browser.target("Visit")
        let events = (1...3).map { PageEvent(number: $0, target: visit) }
        #expect(await browser.session.handle(events, from: browser.view) == [.done, .done, .done])
        #expect(await browser.session.markup.contains("3 visits"))
    }

    @Test func twoPagesOfBrowserStaySynchronised() async throws {
        let session = await session()
        var (left, right) = (try await Browser(session), try await Browser(session))
        await left.attach()
        await right.attach()
        _ = try await (frames(left), frames(right))
        #expect(try await left.press("Visit") == .done)
        #expect(try await frames(left).contains { $0.contains("1 visits") })
        #expect(try await frames(right).contains { $0.contains("1 visits") })
        #expect(try await frames(right) == [])
    }

    @Test func slowReaderGetsOneChange() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        let visit = try browser.target("Visit")
        for _ in 0..<200 { _ = await browser.send(visit) }
        let frames = try await frames(browser)
        #expect(frames.count == 3 && frames[1] == time)
        #expect(frames[0].contains("200 visits") == false || frames[0].utf8.count < 4 * 1024)
    }

    @Test func numberOfPagesIsLimited() async throws {
        let session = await session()
        var browsers: [Browser] = []
        for _ in 0..<12 {
            browsers.append(try await Browser(session))
            host.pass(.seconds(1))
        }
        #expect(await session.viewCount == DiarySession.viewLimit)
        #expect(await session.handle([], from: browsers[0].view) == nil)
        #expect(await session.handle([], from: browsers[11].view) == [])
    }

    @Test func featureIsToldOfAppearingAndDisappearing() async throws {
        var browser = try await Browser(session())
        await browser.attach()
        #expect(try await browser.press("Sheet") == .done)
        #expect(await browser.session.outline == Outline(path: "/sheet", title: "Sheet"))
        #expect(await browser.send(.address("/")) == .done)
        #expect(await browser.session.outline == Outline(path: "/", title: "Diary"))
        #expect(await browser.send(.address("/nowhere")) == .done)
    }

    @Test(arguments: [(8 * 1024, 1), (8 * 1024 + 1, 0)])
    func tooLongPathIsIgnored(length: Int, opened: Int) async throws {
        var browser = try await Browser(session())
        let path = "/add/".padding(toLength: length, withPad: "x", startingAt: 0)
        #expect(await browser.send(.address(path)) == .done)
        #expect(await browser.session.wholeMarkup.contains("opened \(opened) times"))
    }

    @Test func firstPageWaitsForContentWithLimit() async throws {
        host.state.withLock { $0.holdsLoading = true }
        let session = await session()
        async let settled: Void = session.settle(atMost: .seconds(1))
        while host.state.withLock({ $0.sleepers.isEmpty }) { await Task.yield() }
        host.wakeSleepers()
        await settled
        async let again: Void = session.settle(atMost: .seconds(1))
        await host.loads.open()
        await again
        #expect(await session.openPage() != nil)
        host.wakeSleepers()
    }

    private static func take(
        _ number: Int, at path: String, from view: String, of session: DiarySession
    ) async -> Result<[PageEventResult]?, PageError> {
        let event = PageEvent(number: number, target: .address(path))
        do throws(PageError) {
            return .success(try await session.take([event], from: view, within: .seconds(8)))
        } catch {
            return .failure(error)
        }
    }

    /// The browser forgets an act that it keeps once its event is taken.
    @Test(arguments: [KeptAct.stored, .failed, .underWay])
    func eventIsTakenOnceItsActIsStored(act: KeptAct) async throws {
        let session = await session()
        let view = try #require(await session.openPage()?.view)
        async let answer = Self.take(1, at: "/keep", from: view, of: session)
        for _ in 0..<100_000 where host.state.withLock({ $0.sleepers.isEmpty }) {
            await Task.yield()
        }
        // The act holds back no event that comes later.
        let other = await Self.take(2, at: "/", from: view, of: session)
        #expect(other == .success([.done]))
        if act == .underWay {
            // The limit passes.
            host.wakeSleepers()
        } else {
            await session.send(.kept(act))
            await session.render()
        }
        let taken = await answer
        let expected: Result<[PageEventResult]?, PageError> =
            act == .stored ? .success([.done]) : .failure(.notStored)
        #expect(taken == expected)
        host.wakeSleepers()
        // An earlier failure holds back no later event.
        await session.send(.kept(.failed))
        let later = await Self.take(3, at: "/", from: view, of: session)
        #expect(later == .success([.done]))
    }
}
