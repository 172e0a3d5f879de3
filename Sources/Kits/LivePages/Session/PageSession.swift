import ComposableArchitecture
import Cryptography
import Foundation

/// The session of one browser, signed in or not: a store, its rendering, and the pages that show
/// it.
public actor PageSession<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Action = Feature.Action

    /// The maximum number of open pages of one browser.
    static var viewLimit: Int { 8 }
    static var lineLimit: Int { 4 }

    let app: PageApp<Feature, Resources>
    let backend: PageBackend<Resources>
    public nonisolated let resources: Resources
    var views: [String: PageView<Action>] = [:]
    var rendering: Rendering<Action>
    public internal(set) var outline = Outline(path: "/", title: "")
    /// The only page allowed until the browser has its new cookie; see `noticeSignIn`.
    var rotation: (view: String, ticket: Token, since: ContinuousClock.Instant)?
    private var store: Store<Feature.State, Action>?
    private var shown: Feature.State?
    private var listening: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastNumber = 0
    private var knownIdentity: Resources.Identity?
    /// When the person signed in on a page of this session; nil if they were already signed in.
    public private(set) var signedInAt: Date?
    /// A path that waits until paths can be opened.
    private var pendingPath: String?
    /// The number of pages that are about to open or to come back.
    var arrivals = 0
    private(set) var lastSender: String?
    private var isRendering = false
    /// When the last page closed its stream.
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
        for waiter in waiters.values { waiter.resume() }
    }

    /// Creates the store. The first rendering is available when this returns.
    func start() {
        guard store == nil else { return }
        resources.sight?.onWait { [weak self] in Task { await self?.askForSight() } }
        let store = app.makeStore(resources, self)
        self.store = store
        if let start = app.start { store.send(start) }
        render()
        let changes = store.stateChanges
        listening = Task { [weak self] in
            for await _ in changes {
                // Lets queued work run first, so that its changes are sent together with these.
                await Task.yield()
                await self?.render()
            }
        }
    }

    /// Ends all work. A page that returns finds the session recreated.
    func sleep() {
        listening?.cancel()
        listening = nil
        store = nil
        for view in views.values { view.stream?.wake.finish() }
        views = [:]
        // Frees the rendering, which takes most of the session's memory. A request may keep the
        // session itself in memory for a while.
        shown = nil
        rendering = Renderer.render(HTML<Action>.empty)
        for waiter in waiters.values { waiter.resume() }
        waiters = [:]
        resources.end()
    }

    var isAsleep: Bool { store == nil }
    var hasStream: Bool { views.values.contains { $0.stream != nil } }
    /// Since when the session has been without an open page; nil while one is open.
    var unseenSince: ContinuousClock.Instant? { hasStream ? nil : idleSince }

    /// Returns the result of `read` on the current state; nil while the session sleeps.
    public func withState<Value>(_ read: (Feature.State) -> Value) -> Value? {
        withoutObservation { store.map { $0.withState(read) } }
    }

    /// Sends an action, unless the object of the action no longer exists.
    public func send(_ action: Action) {
        guard let store, withState({ app.accepts(action, $0) }) == true else { return }
        store.send(action)
    }

    /// Opens a path on every page of this session.
    public func open(_ path: String) {
        pendingPath = path
        withoutObservation { openPending() }
        render()
    }

    private func openPending() {
        guard let path = pendingPath, let state = store?.withState({ $0 }), app.canOpen(path, state)
        else { return }
        pendingPath = nil
        guard path != app.outline(state).path else { return }
        for action in app.open(path, state) { send(action) }
    }

    /// Returns a prepared file and marks it as downloaded.
    func takeDownload(_ name: String) -> Download<Action>? {
        guard let file = withState({ app.download(name, $0) }) ?? nil else { return nil }
        if let action = file.handedOver {
            send(action)
            render()
        }
        return file
    }

    func noteSender(_ view: String) { lastSender = view }

    func noteIdle() { idleSince = backend.clock.now() }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Updates the pages to the current state. Does nothing if they already show it.
    public func render() {
        guard !isRendering else { return }
        isRendering = true
        defer { isRendering = false }
        // The whole page is rendered at each change, so observing single properties is unnecessary.
        withoutObservation { showState() }
        noticeSignIn()
        if !waiters.isEmpty, isSettled {
            for waiter in waiters.values { waiter.resume() }
            waiters = [:]
        }
        for (id, view) in views {
            if view.isBehind(rendering, outline) { view.stream?.wake.yield() }
            // Even if the page looks the same, its actions may contain newer state.
            if view.sent.generation == rendering.generation { views[id]?.sent = rendering }
        }
    }

    private func showState() {
        // An action that is sent because a part has appeared may change the state again. The limit
        // ends the loop if the state never stops changing.
        for round in 0..<16 {
            guard let store else { break }
            if round > 0, store.withState({ $0 == shown }) { break }
            let state = store.withState { $0 }
            let isShown = state == shown
            // Assigned even if the two are equal, so that `shown` shares memory with the store's
            // state.
            shown = state
            if isShown { break }
            show(state)
            openPending()
        }
    }

    private var isSettled: Bool {
        shown.map { shown in withoutObservation { app.isSettled(shown) } } ?? true
    }

    private func show(_ state: Feature.State) {
        let previous = rendering
        rendering = Renderer.render(app.view(state), after: previous)
        outline = app.outline(state)
        for id in previous.announced where rendering.parts[id] == nil {
            guard let bound = previous.parts[id]?.disappearing else { continue }
            if let action: Action = bound.sent() { send(action) }
        }
        for id in rendering.announced where previous.parts[id] == nil {
            guard let bound = rendering.parts[id]?.appearing else { continue }
            if let action: Action = bound.sent() { send(action) }
        }
    }

    /// Waits until the first page has content, but no longer than `limit`.
    func settle(atMost limit: Duration) async {
        guard !isSettled else { return }
        let number = nextNumber()
        let timeout = Task { [weak self, backend] in
            try? await backend.clock.sleep(limit)
            await self?.release(number)
        }
        await withCheckedContinuation { waiters[number] = $0 }
        timeout.cancel()
    }

    private func release(_ waiter: Int) { waiters.removeValue(forKey: waiter)?.resume() }

    /// Detects a sign-in, which changes the cookie. Until the browser has the new cookie, only the
    /// page that signed in continues. An attacker who planted the old cookie in this browser
    /// therefore gains nothing. Must be called before anything is shown or accepted.
    func noticeSignIn() {
        let identity = resources.identity
        guard identity != knownIdentity else { return }
        knownIdentity = identity
        resources.sight?.forget()
        guard identity != nil else { return }
        signedInAt = backend.clock.time()
        // If the page that signed in is unknown, no page continues: having to sign in again is
        // better than letting an attacker in.
        let view = lastSender ?? ""
        let ticket = backend.makeToken()
        rotation = (view, ticket, backend.clock.now())
        for other in views.values where other.id != view { other.stream?.wake.finish() }
        views = views.filter { $0.key == view }
        views[view]?.ticket = ticket.text
        views[view]?.stream?.wake.yield()
    }
}

extension PageView {
    func isBehind(_ rendering: Rendering<Action>, _ outline: Outline) -> Bool {
        sent.generation != rendering.generation || self.outline != outline || ticket != nil
            || needsRepaint || needsSignOfLife
    }
}
