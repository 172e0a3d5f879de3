import ComposableArchitecture
import Cryptography

/// The sessions that are awake, by the hash of their cookie's secret. A sleeping session is created
/// again from the database.
public actor PageSessions<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Session = PageSession<Feature, Resources>

    public struct Limits: Sendable {
        public var sessions = 20_000
        /// Quotas of anonymous sessions: in total, per address (IPv4 or IPv6 /64), and per IPv6
        /// /48. When 500 people sign up in a hall within 20 minutes, 25 a minute begin, and each
        /// may take four minutes.
        public var anonymous = 5_000
        public var anonymousPerAddress = 100
        public var anonymousPerNetwork = 500
        /// How long a session without a stream stays awake.
        public var idle: Duration = .seconds(300)
        /// The maximum time to wait for a first page's content.
        public var settling: Duration = .milliseconds(800)
        public init() {}
    }

    private struct Entry {
        var session: Session
        /// Secrets of earlier cookies. They are valid until the browser uses its new cookie.
        var retired: [SecretHash] = []
    }

    private typealias SecretHash = [UInt8]

    let app: PageApp<Feature, Resources>
    public nonisolated let backend: PageBackend<Resources>
    public nonisolated let limits: Limits
    private var entries: [SecretHash: Entry] = [:]
    private var awakening: [SecretHash: Task<Session?, any Error>] = [:]
    private var anonymous: AnonymousPlaces<SecretHash>
    /// Sessions that are being created. They count towards the limit.
    private var beginning = 0
    private var sweptAnonymousAt: ContinuousClock.Instant?
    private var isClosed = false

    public init(
        app: PageApp<Feature, Resources>, backend: PageBackend<Resources>,
        limits: Limits = Limits()
    ) {
        self.app = app
        self.backend = backend
        self.limits = limits
        anonymous = AnonymousPlaces(
            limits: .init(
                address: limits.anonymousPerAddress, network: limits.anonymousPerNetwork,
                all: limits.anonymous))
    }

    public var count: Int { entries.count }

    /// Returns the session with a secret, and wakes it if it sleeps. Returns nil if the secret is
    /// unknown.
    func session(for secret: Token, from visitor: Visitor) async throws -> Session? {
        let key = Array(secret.hash)
        if let entry = entries[key] {
            if !entry.retired.isEmpty {
                // The browser has used its new cookie, so the old cookies become invalid.
                for old in entry.retired { remove(old) }
                entries[key]?.retired = []
                await entry.session.endRotation()
            }
            return entry.session
        }
        if let task = awakening[key] { return try await task.value }
        let task = Task { try await awaken(secret, visitor) }
        awakening[key] = task
        defer { awakening[key] = nil }
        return try await task.value
    }

    private func awaken(_ secret: Token, _ visitor: Visitor) async throws -> Session? {
        guard let resources = try await backend.resume(secret, visitor) else { return nil }
        return try await begin(secret, resources, for: visitor)
    }

    /// Returns the person who is signed in with a cookie. Doesn't wake a sleeping session.
    func identity(of secret: Token) -> Resources.Identity? {
        entries[Array(secret.hash)]?.session.resources.identity
    }

    func newSession(for visitor: Visitor) async throws -> (secret: Token, session: Session) {
        let secret = backend.makeToken()
        return (secret, try await begin(secret, backend.begin(visitor), for: visitor))
    }

    private func begin(_ secret: Token, _ resources: Resources, for visitor: Visitor) async throws
        -> Session
    {
        let (key, isAnonymous) = (Array(secret.hash), resources.identity == nil)
        if isAnonymous {
            await makeRoom(for: visitor.origin)
            // Checks the quota before the sweep, because sweeping all sessions is expensive.
            guard anonymous.hasRoom(for: visitor.origin) else { throw PageError.tooManySessions }
        }
        if isFull { await sweep(idle: .zero) }
        let evicted = isFull && !isAnonymous ? takeAnonymousPlace() : nil
        guard !isClosed, !isFull, !isAnonymous || anonymous.hasRoom(for: visitor.origin) else {
            throw PageError.tooManySessions
        }
        if isAnonymous { anonymous.add(key, from: visitor.origin) }
        beginning += 1
        await evicted?.sleep()
        let session = Session(app: app, backend: backend, resources: resources)
        await session.onExecutor { await session.start() }
        beginning -= 1
        guard !isClosed else {
            await session.sleep()
            throw PageError.tooManySessions
        }
        entries[key] = Entry(session: session)
        return session
    }

    private var isFull: Bool { entries.count + beginning >= limits.sessions }

    private func remove(_ key: SecretHash) {
        entries[key] = nil
        anonymous.remove(key)
    }

    /// Makes room for a new anonymous session. If the quota of the address or network is used up,
    /// removes the session that has been idle longest there. If the server's quota is used up,
    /// removes abandoned sessions.
    private func makeRoom(for origin: VisitorOrigin) async {
        if let neighbours = anonymous.neighbours(ofNewcomerFrom: origin) {
            guard let longest = await longestIdle(among: neighbours) else { return }
            let session = entries[longest]?.session
            remove(longest)
            await session?.sleep()
        } else if anonymous.isFull {
            // Sweeps at most once a second. A sweep checks thousands of sessions, and any request
            // can cause a sweep.
            let now = backend.clock.now()
            if let last = sweptAnonymousAt, last.duration(to: now) < .seconds(1) { return }
            sweptAnonymousAt = now
            // Sessions without a stream for ten seconds are abandoned. A page opens its stream
            // faster than that.
            await sweep(idle: .seconds(10), among: Array(anonymous.all))
        }
    }

    private func longestIdle(among keys: [SecretHash]) async -> SecretHash? {
        var found: (key: SecretHash, since: ContinuousClock.Instant)?
        for key in keys {
            guard let session = entries[key]?.session, session.resources.identity == nil,
                let since = await session.unseenSince
            else { continue }
            if let found, found.since <= since { continue }
            found = (key, since)
        }
        return found?.key
    }

    /// Removes an anonymous session, even one with an open page, to make room for a signed-in user.
    private func takeAnonymousPlace() -> Session? {
        for key in anonymous.byCrowd {
            guard let session = entries[key]?.session, session.resources.identity == nil else {
                continue
            }
            remove(key)
            return session
        }
        return nil
    }

    /// Moves an anonymous session to a new cookie, and invalidates its cookie at once. An attacker
    /// who planted the cookie in the browser thus can't use the session that the user signs in
    /// with. Returns nil if the session can't move, or if another page load has moved it.
    func move(_ session: Session, from secret: Token) async -> Token? {
        let key = Array(secret.hash)
        guard await session.canMove, entries[key]?.session === session else { return nil }
        let new = backend.makeToken()
        entries[key] = nil
        entries[Array(new.hash)] = Entry(session: session)
        anonymous.move(key, to: Array(new.hash))
        await session.noteNewCookie()
        return new
    }

    /// Returns a new secret for a session. Returns nil unless the page has the ticket from its
    /// sign-in.
    func rotate(_ secret: Token, ticket: Token, view: String) async throws -> Token? {
        let key = Array(secret.hash)
        guard let session = entries[key]?.session, await session.redeems(ticket, view: view),
            let identity = session.resources.identity
        else { return nil }
        let new = backend.makeToken()
        try await backend.bind(new, identity)
        let others = entries.filter { $0.value.session === session }.map(\.key)
        for other in others { anonymous.remove(other) }
        entries[Array(new.hash)] = Entry(session: session, retired: others)
        return new
    }

    func sweep(idle: Duration) async { await sweep(idle: idle, among: Array(entries.keys)) }

    private func sweep(idle: Duration, among keys: [SecretHash]) async {
        let now = backend.clock.now()
        for key in keys {
            guard let session = entries[key]?.session, let since = await session.unseenSince,
                since.duration(to: now) >= idle
            else { continue }
            remove(key)
            await session.sleep()
        }
    }

    func tick() async {
        await sweep(idle: limits.idle)
        for entry in entries.values { await entry.session.keepAlive() }
    }

    /// Ends all sessions and rejects new ones, so that the server can stop at once.
    func close() async {
        isClosed = true
        let sessions = entries.values.map(\.session)
        entries = [:]
        for session in sessions { await session.sleep() }
    }
}
