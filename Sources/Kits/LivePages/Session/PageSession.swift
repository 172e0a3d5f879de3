import ComposableArchitecture
import Cryptography
import Foundation

/// One browser that is signed in, or about to be: a store, what it looks like, and the pages that
/// show it.
public actor PageSession<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Action = Feature.Action

    /// Pages of one browser that are kept in step.
    static var viewLimit: Int { 8 }
    static var lineLimit: Int { 4 }

    let app: PageApp<Feature, Resources>
    let backend: PageBackend<Resources>
    public nonisolated let resources: Resources
    var views: [String: PageView<Action>] = [:]
    var rendering: Rendering<Action>
    public internal(set) var outline = Outline(path: "/", title: "")
    /// The only page that may go on until the browser has its new cookie; see `noticeSignIn`.
    var rotation: (view: String, ticket: Token, since: ContinuousClock.Instant)?
    private var store: Store<Feature.State, Action>?
    private var shown: Feature.State?
    private var listening: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastNumber = 0
    private var knownIdentity: Resources.Identity?
    /// The time when the person signed in on a page of this session; nil when they were signed in
    /// before.
    public private(set) var signedInAt: Date?
    /// An address that is opened as soon as addresses can be.
    private var pendingPath: String?
    /// How many pages are about to be shown.
    var arrivals = 0
    private(set) var lastSender: String?
    private var isRendering = false
    /// The time when the last page closed its stream.
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

    /// Makes the store. What it shows first is there when this returns.
    func start() {
        guard store == nil else { return }
        let store = app.makeStore(resources, self)
        self.store = store
        if let start = app.start { store.send(start) }
        render()
        let changes = store.stateChanges
        listening = Task { [weak self] in
            for await _ in changes {
                // Yields to queued work first: the more is done, the more changes go out together.
                await Task.yield()
                await self?.render()
            }
        }
    }

    /// Ends everything that is under way. Pages that come back find the session made anew.
    func sleep() {
        listening?.cancel()
        listening = nil
        store = nil
        for view in views.values { view.stream?.wake.finish() }
        views = [:]
        // The rendering is most of the session's memory, and a request may hold the session for a
        // while.
        shown = nil
        rendering = Renderer.render(HTML<Action>.empty)
        for waiter in waiters.values { waiter.resume() }
        waiters = [:]
        resources.end()
    }

    var isAsleep: Bool { store == nil }
    var hasStream: Bool { views.values.contains { $0.stream != nil } }
    /// The time since when no page looks at it; nil while one does.
    var unseenSince: ContinuousClock.Instant? { hasStream ? nil : idleSince }

    /// The result of `read` on the present state; nil while the session sleeps.
    public func withState<Value>(_ read: (Feature.State) -> Value) -> Value? {
        withoutObservation { store.map { $0.withState(read) } }
    }

    /// Sends an action, unless what it is for has gone.
    public func send(_ action: Action) {
        guard let store, withState({ app.accepts(action, $0) }) == true else { return }
        store.send(action)
    }

    /// Leads every page of this session to an address.
    public func open(_ path: String) {
        pendingPath = path
        withoutObservation { openPending() }
        render()
    }

    private func openPending() {
        guard let path = pendingPath, let state = store?.withState({ $0 }), app.canOpen(state)
        else { return }
        pendingPath = nil
        guard path != app.outline(state).path else { return }
        for action in app.open(path, state) { send(action) }
    }

    /// A file that is ready, and is taken away by this.
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

    /// Brings the pages to what the state is now. Does nothing when it is shown already.
    public func render() {
        guard !isRendering else { return }
        isRendering = true
        defer { isRendering = false }
        // The whole page is rendered at each change, so nobody has to be told of one.
        withoutObservation { showState() }
        noticeSignIn()
        if !waiters.isEmpty, isSettled {
            for waiter in waiters.values { waiter.resume() }
            waiters = [:]
        }
        for (id, view) in views {
            if view.isBehind(rendering, outline) { view.stream?.wake.yield() }
            // A page that looks the same may have actions that carry newer state.
            if view.sent.generation == rendering.generation { views[id]?.sent = rendering }
        }
    }

    private func showState() {
        // An action that is sent because something has appeared may change the state again; what
        // never comes to rest is left alone for a while.
        for round in 0..<16 {
            guard let store else { break }
            if round > 0, store.withState({ $0 == shown }) { break }
            let state = store.withState { $0 }
            let isShown = state == shown
            // Also an equal state: it shares its memory with that of the store.
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

    /// Waits until the first page has something to show, but not longer than `limit`.
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

    /// A sign-in changes the cookie. Until the browser has the new one, only the page that signed
    /// in goes on: somebody who put the old cookie into this browser gains nothing. Checked before
    /// anything is shown or taken.
    func noticeSignIn() {
        let identity = resources.identity
        guard identity != knownIdentity else { return }
        knownIdentity = identity
        guard identity != nil else { return }
        signedInAt = backend.clock.time()
        // Nobody goes on without the page that did it: better to sign in once more than to let
        // somebody else in.
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
