import ComposableArchitecture
import Cryptography
import Foundation

/// A page as it is initially delivered.
struct FirstPage: Sendable {
    /// The time when it was rendered.
    var time: Date
    var view: String
    var generation: Int
    var html: String
    var outline: Outline
}

/// A page's stream: `wakes` yields whenever there is something to write, and ends when nothing more
/// will follow.
struct PageStream: Sendable {
    var view: String
    var number: Int
    var wakes: AsyncStream<Void>
}

/// The result of an event.
enum PageEventResult: Sendable, Equatable {
    case done
    /// The event's element doesn't exist any more, or never did.
    case refused
}

extension PageSession {
    /// Opens a new page of this session at `path` as soon as the page has content, but after
    /// `limit` at the latest.
    func openPage(at path: String, within limit: Duration) async -> FirstPage? {
        await arrive(at: path, within: limit)
        return openPage()
    }

    private func arrive(at path: String, within limit: Duration) async {
        arrivals += 1
        defer { arrivals -= 1 }
        open(path)
        await settle(atMost: limit)
    }

    /// Opens a new page of this session; returns nil while the browser must first get its new
    /// cookie.
    func openPage() -> FirstPage? {
        render()
        guard rotation == nil else { return nil }
        let id = makeView()
        return FirstPage(
            time: backend.clock.time(), view: id, generation: rendering.generation,
            html: rendering.markup, outline: outline)
    }

    private func makeView() -> String {
        if views.count >= Self.viewLimit {
            let oldest = views.values.min {
                ($0.stream == nil ? 0 : 1, $0.lastSeen) < ($1.stream == nil ? 0 : 1, $1.lastSeen)
            }
            if let oldest { views.removeValue(forKey: oldest.id)?.stream?.wake.finish() }
        }
        let id = backend.makeToken().text
        views[id] = PageView(
            id: id, sent: rendering, outline: outline, lastSeen: backend.clock.now())
        return id
    }

    /// Returns true if a request from this page may be answered now.
    public func admits(_ view: String?) -> Bool {
        noticeSignIn()
        guard let rotation else { return true }
        return view == rotation.view
    }

    /// True if a page of this browser has just signed in and the browser doesn't have its new
    /// cookie yet.
    var isChangingCookie: Bool {
        noticeSignIn()
        guard let rotation else { return false }
        return rotation.since.duration(to: backend.clock.now()) < .seconds(10)
    }

    /// Moves the session to the path of a page that has reconnected, unless the session has other
    /// pages. After a restart of the server it has none. If it has some, the session stays where
    /// they are.
    func comeBack(to path: String, within limit: Duration) async {
        guard views.isEmpty, arrivals == 0 else { return }
        await arrive(at: path, within: limit)
    }

    /// Returns true if an event of a page was processed, even if the page hasn't been told yet.
    public func hasTaken(_ number: Int, from view: String) -> Bool {
        guard let page = views[view] else { return false }
        return page.lastEvent >= number
    }

    /// True if too many pages have a stream. A browser has only six connections for all of its
    /// pages, so hidden pages are then asked to close their streams.
    private var hasTooManyLines: Bool { views.values.count { $0.stream != nil } > Self.lineLimit }

    /// Opens a stream for a page that shows `generation`. If the page is unknown, or shows
    /// something other than what was last written to it, the stream repaints it.
    func attach(_ view: String, generation: Int) -> PageStream {
        render()
        let id = views[view] == nil ? makeView() : view
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextNumber()
        if let page = views[id] {
            page.stream?.wake.finish()
            if id != view || page.sent.generation != generation { views[id]?.needsRepaint = true }
        }
        views[id]?.stream = PageView.Stream(number: number, wake: wake)
        views[id]?.needsSignOfLife = true
        views[id]?.askedSight = 0
        for view in views.values where hasTooManyLines || view.id == id {
            view.stream?.wake.yield()
        }
        return PageStream(view: id, number: number, wakes: wakes)
    }

    func detach(_ pageStream: PageStream) {
        guard let stream = views[pageStream.view]?.stream, stream.number == pageStream.number else {
            return
        }
        // The end of the wake-ups ends the reader. Otherwise, it would wait forever and keep the
        // connection and the session alive.
        stream.wake.finish()
        views[pageStream.view]?.stream = nil
        views[pageStream.view]?.lastSeen = backend.clock.now()
        if !hasStream { noteIdle() }
    }

    /// Returns the frames to write to a stream now; nil if another stream has replaced it, or the
    /// page is closed.
    func frames(for pageStream: PageStream) -> [String]? {
        noticeSignIn()
        guard let page = views[pageStream.view], page.stream?.number == pageStream.number else {
            return nil
        }
        var frames: [String] = []
        if let ticket = page.ticket { frames.append("event: session\ndata: \"\(ticket)\"\n\n") }
        if page.needsRepaint {
            let whole = Change(
                part: Rendering<Action>.rootID,
                chunks: [.markup(rendering.markup)])
            frames.append(patch([whole], page, outline, view: page.id))
        } else if page.sent.generation != rendering.generation || page.outline != outline {
            frames.append(
                patch(
                    rendering.changes(since: page.sent), page,
                    page.outline == outline ? nil : outline))
        }
        if page.needsSignOfLife {
            frames.append("event: time\ndata: \(backend.clock.time().wholeMilliseconds)\n\n")
            frames.append("event: alive\ndata: \(page.lastEvent)\n\n")
        }
        if let wanted = resources.sight?.wanted, wanted > page.askedSight {
            frames.append("event: seen\ndata: \(wanted)\n\n")
            views[pageStream.view]?.askedSight = wanted
        }
        if hasTooManyLines { frames.append("event: rest\ndata: 0\n\n") }
        views[pageStream.view]?.note(rendering, outline)
        return frames
    }

    /// Returns a patch. If it has a `view`, the browser replaces everything that it shows with that
    /// new page.
    private func patch(
        _ changes: [Change], _ page: PageView<Action>, _ outline: Outline?, view: String? = nil
    ) -> String {
        let text = WireText.patch(
            changes, generation: rendering.generation, lastEvent: page.lastEvent, outline: outline,
            view: view)
        return "event: patch\ndata: \(text)\n\n"
    }

    /// Asks every page to confirm that it is visible.
    func askForSight() { for view in views.values { view.stream?.wake.yield() } }

    /// Records that a page, which was asked for this number, is visible.
    func confirmSight(_ number: Int, from view: String) {
        noticeSignIn()
        guard let page = views[view], page.stream != nil, number <= page.askedSight else { return }
        resources.sight?.confirm(number)
    }

    /// Writes a keep-alive on every stream.
    func keepAlive() {
        for id in views.keys {
            views[id]?.needsSignOfLife = true
            views[id]?.stream?.wake.yield()
        }
    }

    /// Handles the events of a page in order; returns nil if the page is unknown. Each event has a
    /// number, so that an event that is sent twice is handled once.
    func handle(_ events: [PageEvent], from view: String) -> [PageEventResult]? {
        noticeSignIn()
        guard let page = views[view] else { return nil }
        noteSender(view)
        let outcomes = events.map { event -> PageEventResult in
            guard event.number > views[view]?.lastEvent ?? 0 else { return .done }
            views[view]?.lastEvent = event.number
            switch event.target {
            case .address(let path):
                open(path)
                return .done
            case .handler(let part, let index, let generation):
                // Uses the page as it was before these events. None of them can refer to content
                // that another one creates, because the page had not shown it.
                guard
                    let action: Action = page.handler(part, index, generation: generation)?
                        .action(for: event.value)
                else { return .refused }
                send(action)
                return .done
            }
        }
        render()
        // The page waits for confirmation of the event's number even if nothing has changed
        // visibly.
        views[view]?.needsSignOfLife = true
        views[view]?.stream?.wake.yield()
        return outcomes
    }

    /// Returns true if `handle` would accept a file for this event.
    func awaitsFile(_ event: PageEvent, from view: String) -> Bool {
        guard let page = views[view], event.number > page.lastEvent,
            case .handler(let part, let index, let generation) = event.target,
            case .bytes? = page.handler(part, index, generation: generation)?.handler
        else { return false }
        return true
    }

    /// Returns true if the page got this ticket at sign-in. The ticket is valid until the browser
    /// uses its new cookie.
    func redeems(_ ticket: Token, view: String) -> Bool {
        guard let rotation else { return false }
        return rotation.view == view && Digest.areEqual(rotation.ticket.hash, ticket.hash)
    }

    /// Ends the change of cookies. The browser has its new cookie.
    func endRotation() { rotation = nil }
}
