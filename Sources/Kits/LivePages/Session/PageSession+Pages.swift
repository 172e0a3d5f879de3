import ComposableArchitecture
import Cryptography
import Foundation

/// A page as it is first delivered.
struct FirstPage: Sendable {
    /// The time when it was written.
    var time: Date
    var view: String
    var generation: Int
    var html: String
    var outline: Outline
}

/// A page's stream: wakes whenever there is something to write, and ends when there is nothing
/// more.
struct PageStream: Sendable {
    var view: String
    var number: Int
    var wakes: AsyncStream<Void>
}

/// How an event fared.
enum PageEventResult: Sendable, Equatable {
    case done
    /// Its element is no longer there, or never was.
    case refused
}

extension PageSession {
    /// A new page of this session where `path` leads, once there is something to show, at the
    /// latest after `limit`.
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

    /// A new page of this session; nil while the browser has to get its new cookie first.
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

    /// True if a request that names this page may be answered at present.
    public func admits(_ view: String?) -> Bool {
        noticeSignIn()
        guard let rotation else { return true }
        return view == rotation.view
    }

    /// True if a page of this browser has just signed in and its new cookie is still under way.
    var isChangingCookie: Bool {
        noticeSignIn()
        guard let rotation else { return false }
        return rotation.since.duration(to: backend.clock.now()) < .seconds(10)
    }

    /// A page comes back to a session that nobody looks at, as after a restart of the server: it
    /// goes on where it was. Others that look at it, or are about to, are where they are.
    func comeBack(to path: String, within limit: Duration) async {
        guard views.isEmpty, arrivals == 0 else { return }
        await arrive(at: path, within: limit)
    }

    /// True if an event of a page was taken, though the page may not have heard of it.
    public func hasTaken(_ number: Int, from view: String) -> Bool {
        guard let page = views[view] else { return false }
        return page.lastEvent >= number
    }

    /// A browser has six connections for all of its pages together: those that nobody looks at are
    /// asked to let go of theirs.
    private var hasTooManyLines: Bool { views.values.count { $0.stream != nil } > Self.lineLimit }

    /// Opens a stream for a page that shows `generation`. A page that is not known, or shows
    /// something else than was written to it, is painted anew.
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
        for view in views.values where hasTooManyLines || view.id == id {
            view.stream?.wake.yield()
        }
        return PageStream(view: id, number: number, wakes: wakes)
    }

    func detach(_ pageStream: PageStream) {
        guard let stream = views[pageStream.view]?.stream, stream.number == pageStream.number else {
            return
        }
        // The reader would otherwise wait for ever and keep the connection and the session alive.
        stream.wake.finish()
        views[pageStream.view]?.stream = nil
        views[pageStream.view]?.lastSeen = backend.clock.now()
        if !hasStream { noteIdle() }
    }

    /// The frames to write to a stream now; nil when another stream has taken over, or the page is
    /// closed.
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
        if page.needsSignOfLife { frames.append("event: alive\ndata: \(page.lastEvent)\n\n") }
        if hasTooManyLines { frames.append("event: rest\ndata: 0\n\n") }
        views[pageStream.view]?.note(rendering, outline)
        return frames
    }

    /// A `view` makes it a page of its own, which stands for whatever is shown.
    private func patch(
        _ changes: [Change], _ page: PageView<Action>, _ outline: Outline?, view: String? = nil
    ) -> String {
        let text = WireText.patch(
            changes, generation: rendering.generation, lastEvent: page.lastEvent, outline: outline,
            view: view)
        return "event: patch\ndata: \(text)\n\n"
    }

    /// Writes something on every stream.
    func keepAlive() {
        for id in views.keys {
            views[id]?.needsSignOfLife = true
            views[id]?.stream?.wake.yield()
        }
    }

    /// Takes the events of a page in order; nil when the page is not known. One that was taken
    /// before is not done again.
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
                // The page as it was when the events were sent: none of them can name what a later
                // one of them brings.
                guard
                    let action: Action = page.handler(part, index, generation: generation)?
                        .action(for: event.value)
                else { return .refused }
                send(action)
                return .done
            }
        }
        render()
        // The page waits for the number of the event, even if nothing looks different.
        views[view]?.needsSignOfLife = true
        views[view]?.stream?.wake.yield()
        return outcomes
    }

    /// True if `handle` would take a file for this event.
    func awaitsFile(_ event: PageEvent, from view: String) -> Bool {
        guard let page = views[view], event.number > page.lastEvent,
            case .handler(let part, let index, let generation) = event.target,
            case .bytes? = page.handler(part, index, generation: generation)?.handler
        else { return false }
        return true
    }

    /// True if the page was given this ticket at sign-in. It holds until the new cookie is seen.
    func redeems(_ ticket: Token, view: String) -> Bool {
        guard let rotation else { return false }
        return rotation.view == view && Digest.areEqual(rotation.ticket.hash, ticket.hash)
    }

    /// The browser has its new cookie.
    func endRotation() { rotation = nil }
}
