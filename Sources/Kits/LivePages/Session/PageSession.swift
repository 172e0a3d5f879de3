import ComposableArchitecture
import Cryptography
import Foundation

/// The session of one browser, signed in or not. It has a store, the rendering of the store's
/// state, and the pages that show the rendering.
public actor PageSession<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Action = Feature.Action

    /// The maximum number of open pages per browser.
    static var viewLimit: Int { 8 }
    private static var lineLimit: Int { 4 }
    /// More than the tasks between the event stream and the page. A question to the page then
    /// leaves together with the news that it is about.
    private static var stepsToPage: Int { 16 }

    let app: PageApp<Feature, Resources>
    let backend: PageBackend<Resources>
    public nonisolated let resources: Resources
    var views: [String: PageView<Action>] = [:]
    var rendering: Rendering<Action>
    public internal(set) var outline = Outline(path: "/", title: "")
    /// Set while the browser waits for its new cookie. Only the page `view` may then use the
    /// session; see ``noticeSignIn()``.
    var rotation: (view: String, ticket: Token, since: ContinuousClock.Instant)?
    private var store: Store<Feature.State, Action>?
    private var shown: Feature.State?
    private var listening: Task<Void, Never>?
    private var waiters: [Int: (goal: Goal, continuation: CheckedContinuation<Void, Never>)] = [:]
    private var lastNumber = 0
    private var knownIdentity: Resources.Identity?
    /// When a page of this session signed in. `nil` if none has.
    public private(set) var signedInAt: Date?
    /// A path that can't be opened yet.
    private var pendingPath: String?
    /// The number of pages that are being opened or reconnected.
    var arrivals = 0
    /// The pages that have sent events since the newest cookie or the last sign-out. Stays empty
    /// while signed in.
    private var senders: Set<String> = []
    /// True if a browser that doesn't have the newest cookie may use the session, too: after a
    /// sign-out, and after a stream of an unknown page.
    private var mayBeShared = false
    private var isRendering = false
    /// When the last stream closed, or when the session was created.
    private(set) var idleSince: ContinuousClock.Instant

    init(
        app: PageApp<Feature, Resources>, backend: PageBackend<Resources>, resources: Resources
    ) {
        self.app = app
        self.backend = backend
        self.resources = resources
        rendering = Renderer.render(HTML<Action>.empty)
        knownIdentity = resources.identity
        idleSince = backend.clock.now()
    }

    deinit {
        listening?.cancel()
        resources.end()
        for waiter in waiters.values { waiter.continuation.resume() }
    }

    /// Runs work that renders, which can take milliseconds, on the session's executor. The thread
    /// of a connection serves other connections, too.
    nonisolated func onExecutor<Value: Sendable>(
        _ work: @Sendable () async -> Value
    ) async -> Value {
        await withTaskExecutorPreference(resources.executor) { await work() }
    }

    func start() {
        guard store == nil else { return }
        let (executor, steps) = (resources.executor, Self.stepsToPage)
        resources.sight?.onWait { [weak self] in
            Task(executorPreference: executor) {
                await executor?.yield(times: steps)
                await self?.askForSight()
            }
        }
        let store = app.makeStore(resources, self)
        self.store = store
        if let start = app.start { store.send(start) }
        render()
        let changes = store.stateChanges
        listening = Task(executorPreference: executor) { [weak self] in
            for await _ in changes {
                // Lets queued work run first, so that its changes are sent together with this
                // change.
                if let executor { await executor.yield() } else { await Task.yield() }
                await self?.render()
            }
        }
    }

    /// Ends all work. If a page returns later, the session is created again.
    func sleep() {
        listening?.cancel()
        listening = nil
        store = nil
        for view in views.values { view.stream?.wake.finish() }
        views = [:]
        // Frees the rendering, which takes most of the session's memory. A request may still hold
        // the session.
        shown = nil
        rendering = Renderer.render(HTML<Action>.empty)
        for waiter in waiters.values { waiter.continuation.resume() }
        waiters = [:]
        resources.end()
    }

    var isAsleep: Bool { store == nil }
    var hasStream: Bool { views.values.contains { $0.stream != nil } }
    /// Since when no page of the session is open, or `nil` while one is open.
    var unseenSince: ContinuousClock.Instant? { hasStream ? nil : idleSince }

    /// Reads the current state. Returns nil while the session sleeps.
    public func withState<Value>(_ read: (Feature.State) -> Value) -> Value? {
        withoutObservation { store.map { $0.withState(read) } }
    }

    /// Sends an action if the object of the action still exists.
    public func send(_ action: Action) {
        guard let store, withState({ app.accepts(action, $0) }) == true else { return }
        store.send(action)
    }

    /// Opens a path on every page of this session.
    public func open(_ path: String) {
        request(path)
        render()
    }

    private func request(_ path: String) {
        pendingPath = path
        withoutObservation { _ = openPending() }
    }

    /// Returns true if actions were sent.
    private func openPending() -> Bool {
        guard let path = pendingPath, let state = store?.withState({ $0 }) else { return false }
        // A shown path is open, even if the app can't open paths yet. If it waited, it would later
        // lead away from where the user went in the meantime.
        let isShown = path == app.outline(state).path
        guard isShown || app.canOpen(path, state) else { return false }
        pendingPath = nil
        guard !isShown else { return false }
        let actions = app.open(path, state)
        for action in actions { send(action) }
        return !actions.isEmpty
    }

    func takeDownload(_ name: String) -> Download<Action>? {
        guard let file = withState({ app.download(name, $0) }) ?? nil else { return nil }
        if let action = file.handedOver {
            send(action)
            render()
        }
        return file
    }

    private func noteSender(_ view: String) {
        if knownIdentity == nil { senders.insert(view) }
    }

    private func noteIdle() { idleSince = backend.clock.now() }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Renders the current state and wakes the streams of pages that are out of date.
    public func render() {
        guard !isRendering else { return }
        isRendering = true
        defer { isRendering = false }
        // Each change renders the whole page, so recording reads of single properties would be a
        // waste.
        withoutObservation { showState() }
        noticeSignIn()
        for (number, waiter) in waiters where hasReached(waiter.goal) { release(number) }
        for (id, view) in views {
            if view.isBehind(rendering, outline) { view.stream?.wake.yield() }
            // Even in a page that looks the same, the actions may contain newer state.
            if view.sent.generation == rendering.generation { views[id]?.sent = rendering }
        }
    }

    private func showState() {
        // Appearing parts send actions, which can change the state. The limit ends the loop if the
        // state never settles.
        for round in 0..<16 {
            guard let store else { break }
            if round > 0, store.withState({ $0 == shown }) { break }
            let state = store.withState { $0 }
            let isShown = state == shown
            // Assigned even if `state` equals `shown`, so that `shown` shares the memory of the
            // store's state.
            shown = state
            if isShown { break }
            let hasSent = show(state)
            let hasOpened = openPending()
            guard hasSent || hasOpened else { break }
        }
    }

    private var isSettled: Bool {
        shown.map { shown in withoutObservation { app.isSettled(shown) } } ?? true
    }

    /// Returns true if actions were sent. Only they can have changed the state.
    private func show(_ state: Feature.State) -> Bool {
        let previous = rendering
        rendering = Renderer.render(app.view(state), after: previous, below: app.base)
        outline = app.outline(state)
        var actions: [Action] = []
        for id in previous.announced where rendering.parts[id] == nil {
            guard let bound = previous.parts[id]?.disappearing else { continue }
            if let action: Action = bound.sent() { actions.append(action) }
        }
        for id in rendering.announced where previous.parts[id] == nil {
            guard let bound = rendering.parts[id]?.appearing else { continue }
            if let action: Action = bound.sent() { actions.append(action) }
        }
        for action in actions { send(action) }
        return !actions.isEmpty
    }

    /// `failed` while the session sleeps, because the act may not be stored.
    private var keptAct: KeptAct { withState { app.keptAct($0) } ?? .failed }

    private func hasReached(_ goal: Goal) -> Bool {
        goal == .settled ? isSettled : keptAct != .underWay
    }

    func settle(atMost limit: Duration) async { await wait(for: .settled, atMost: limit) }

    private func wait(for goal: Goal, atMost limit: Duration) async {
        guard !hasReached(goal) else { return }
        let number = nextNumber()
        let timeout = Task { [weak self, backend] in
            try? await backend.clock.sleep(limit)
            await self?.release(number)
        }
        await withCheckedContinuation { waiters[number] = (goal: goal, continuation: $0) }
        timeout.cancel()
    }

    private func release(_ waiter: Int) {
        waiters.removeValue(forKey: waiter)?.continuation.resume()
    }

    /// Detects a sign-in, which requires a new cookie. Until the browser has the new cookie, only
    /// the page that signed in may use the session. An attacker who planted the old cookie in the
    /// browser thus gains nothing. If several pages sent events, one of them may be the attacker's,
    /// so no page continues.
    ///
    /// Must be called before anything is shown or accepted.
    private func noticeSignIn() {
        let identity = resources.identity
        guard identity != knownIdentity else { return }
        knownIdentity = identity
        resources.sight?.forget()
        defer { senders = [] }
        guard identity != nil else {
            mayBeShared = true
            return
        }
        signedInAt = backend.clock.time()
        // If the page that signed in is unknown, every page loses the session. The user must then
        // sign in again, which is better than letting an attacker in.
        let view = senders.count == 1 ? senders.first ?? "" : ""
        let ticket = backend.makeToken()
        rotation = (view, ticket, backend.clock.now())
        for other in views.values where other.id != view { other.stream?.wake.finish() }
        views = views.filter { $0.key == view }
        views[view]?.ticket = ticket.text
        views[view]?.stream?.wake.yield()
    }
}

/// What a waiter of a session waits for.
private enum Goal: Sendable { case settled, answered }

extension PageView {
    fileprivate func isBehind(_ rendering: Rendering<Action>, _ outline: Outline) -> Bool {
        sent.generation != rendering.generation || self.outline != outline || ticket != nil
            || needsRepaint || needsSignOfLife
    }
}

struct FirstPage: Sendable {
    var time: Date
    var view: String
    var generation: Int
    var html: String
    var outline: Outline
}

/// A page's stream. `wakes` yields when there is something to write, and ends with the stream.
struct PageStream: Sendable {
    var view: String
    var number: Int
    var wakes: AsyncStream<Void>
}

enum PageEventResult: Sendable, Equatable {
    case done
    /// No handler of the page accepts the event.
    case refused
}

extension PageSession {
    /// Opens `path` in this session. Returns a new page after the page has content, but after
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

    /// Opens a new page. Returns nil while the browser waits for its new cookie.
    func openPage() -> FirstPage? {
        render()
        guard rotation == nil else { return nil }
        let id = makeView()
        return FirstPage(
            time: backend.clock.time(), view: id, generation: rendering.generation,
            html: wholeMarkup, outline: outline)
    }

    /// The rendering with all its markup, built again if it has forgotten some.
    private var wholeRendering: Rendering<Action> {
        guard !rendering.isWhole, let shown else { return rendering }
        return withoutObservation { Renderer.render(app.view(shown), below: app.base) }
    }

    var wholeMarkup: String { wholeRendering.markup }

    /// Forgets the markup if every page shows it. A patch needs the markup of later changes only.
    /// A page without a stream for a minute counts as closed. If it returns, a new rendering makes
    /// its patch. A repaint would drop the presses that the page has not sent.
    private func forgetMarkup() {
        guard rendering.hasMarkup else { return }
        let now = backend.clock.now()
        let behind = views.values.filter {
            $0.sent.generation != rendering.generation || $0.needsRepaint
        }
        let areClosed = behind.allSatisfy {
            $0.stream == nil && $0.lastSeen.duration(to: now) > .seconds(60)
        }
        guard areClosed else { return }
        rendering.forgetMarkup()
        for id in views.keys { views[id]?.sent = rendering }
        for view in behind {
            var sent = view.sent
            sent.forgetMarkup()
            views[view.id]?.sent = sent
            views[view.id]?.lacksMarkup = true
        }
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

    /// Returns true if this page may use the session. Only false while the browser waits for its
    /// new cookie.
    public func admits(_ view: String?) -> Bool {
        noticeSignIn()
        guard let rotation else { return true }
        return view == rotation.view
    }

    /// True if an anonymous session may get a new cookie at a page load. Otherwise the page load
    /// begins a new session.
    var canMove: Bool {
        noticeSignIn()
        return knownIdentity == nil && rotation == nil && !mayBeShared
    }

    /// Ends all streams, because a stream may belong to an attacker who knows the old cookie. The
    /// browser's other pages reconnect with the new cookie.
    func noteNewCookie() {
        senders = []
        guard hasStream else { return }
        for (id, view) in views where view.stream != nil {
            view.stream?.wake.finish()
            views[id]?.stream = nil
            views[id]?.lastSeen = backend.clock.now()
        }
        noteIdle()
    }

    /// True for 10 seconds after a page of this browser signed in, until the browser has its new
    /// cookie.
    var isChangingCookie: Bool {
        noticeSignIn()
        guard let rotation else { return false }
        return rotation.since.duration(to: backend.clock.now()) < .seconds(10)
    }

    /// Opens the path of a reconnecting page if it is the session's only page, as after a restart
    /// of the server. Otherwise the session stays at its path.
    func comeBack(to path: String, within limit: Duration) async {
        guard views.isEmpty, arrivals == 0 else { return }
        await arrive(at: path, within: limit)
    }

    /// Returns true if an event of the page was processed.
    public func hasTaken(_ number: Int, from view: String) -> Bool {
        guard let page = views[view] else { return false }
        return page.lastEvent >= number
    }

    /// True if too many pages have a stream. A browser has only six connections for all pages of a
    /// host. Hidden pages are then asked to close their streams.
    private var hasTooManyLines: Bool { views.values.count { $0.stream != nil } > Self.lineLimit }

    /// Opens a stream for a page that shows `generation`. The stream sends the whole page if the
    /// page is unknown, or if the page doesn't show what was last sent.
    func attach(_ view: String, generation: Int) -> PageStream {
        render()
        let isKnown = views[view] != nil
        if !isKnown, knownIdentity == nil { mayBeShared = true }
        let id = isKnown ? view : makeView()
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
        // Ends the reader of the stream. Otherwise the reader would wait forever, and keep the
        // connection and the session.
        stream.wake.finish()
        views[pageStream.view]?.stream = nil
        views[pageStream.view]?.lastSeen = backend.clock.now()
        if !hasStream { noteIdle() }
    }

    /// Returns the frames to write to a stream now. Returns nil if the stream was replaced or the
    /// page was closed.
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
                chunks: [.markup(wholeMarkup)])
            frames.append(patch([whole], page, outline, view: page.id))
        } else if page.sent.generation != rendering.generation || page.outline != outline {
            let present = page.lacksMarkup ? wholeRendering : rendering
            frames.append(
                patch(
                    present.changes(since: page.sent), page,
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
        forgetMarkup()
        return frames
    }

    /// Returns a patch. A patch with a `view` replaces the whole page in the browser.
    private func patch(
        _ changes: [Change], _ page: PageView<Action>, _ outline: Outline?, view: String? = nil
    ) -> String {
        let text = WireText.patch(
            changes, generation: rendering.generation, lastEvent: page.lastEvent, outline: outline,
            view: view)
        return "event: patch\ndata: \(text)\n\n"
    }

    private func askForSight() {
        guard let wanted = resources.sight?.wanted else { return }
        for view in views.values where view.askedSight < wanted { view.stream?.wake.yield() }
    }

    func confirmSight(_ number: Int, from view: String) {
        noticeSignIn()
        guard let page = views[view], page.stream != nil, number <= page.askedSight else { return }
        resources.sight?.confirm(number)
    }

    func keepAlive() {
        for id in views.keys {
            views[id]?.needsSignOfLife = true
            views[id]?.stream?.wake.yield()
        }
    }

    /// Handles events, and waits until the act that they began is stored, because the browser then
    /// forgets the act. Throws `notStored` if it has failed or takes longer than `limit`.
    func take(
        _ events: [PageEvent], from view: String, within limit: Duration
    ) async throws(PageError) -> [PageEventResult]? {
        let wasUnderWay = keptAct == .underWay
        guard let outcomes = handle(events, from: view) else { return nil }
        // An act that was under way before belongs to another event.
        guard !wasUnderWay, keptAct == .underWay else { return outcomes }
        await wait(for: .answered, atMost: limit)
        guard keptAct == .stored else { throw .notStored }
        return outcomes
    }

    /// Handles the events of a page in order. Returns nil if the page is unknown. Skips events that
    /// were already handled, by their numbers.
    func handle(_ events: [PageEvent], from view: String) -> [PageEventResult]? {
        noticeSignIn()
        guard let page = views[view] else { return nil }
        noteSender(view)
        let outcomes = events.map { event -> PageEventResult in
            guard event.number > views[view]?.lastEvent ?? 0 else { return .done }
            views[view]?.lastEvent = event.number
            switch event.target {
            case .address(let path):
                // The session keeps a path in memory until it can open it, so the path is limited.
                // Renders only once, after the last event.
                if path.utf8.count <= EventValue.textLimit { request(path) }
                return .done
            case .handler(let part, let index, let generation):
                // Uses the page from before these events, because that is the page that the user
                // saw.
                guard
                    let action: Action = page.handler(part, index, generation: generation)?
                        .action(for: event.value)
                else { return .refused }
                send(action)
                return .done
            }
        }
        render()
        // The page waits for the event's number, even if nothing visible has changed.
        views[view]?.needsSignOfLife = true
        views[view]?.stream?.wake.yield()
        return outcomes
    }

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

    /// Allows all pages to use the session. The browser has its new cookie.
    func endRotation() { rotation = nil }
}
