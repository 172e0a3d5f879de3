import ComposableArchitecture
import Cryptography

/// The sessions that are awake, by the hash of their cookie's secret. Sleeping sessions are
/// restored from the database.
public actor PageSessions<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Session = PageSession<Feature, Resources>

    /// The limits on sessions.
    public struct Limits: Sendable {
        public var sessions = 20_000
        /// The maximum number of anonymous sessions: in total, per address (IPv4 or IPv6 /64), and
        /// per IPv6 /48. The limits per address and network are higher than one, because families
        /// and offices share an address.
        public var anonymous = 5_000
        public var anonymousPerAddress = 20
        public var anonymousPerNetwork = 100
        /// How long a session without a stream stays awake.
        public var idle: Duration = .seconds(300)
        /// The maximum time that a first page waits for its content.
        public var settling: Duration = .milliseconds(800)
        public init() {}
    }

    private struct Entry {
        var session: Session
        /// The secrets of the browser's earlier cookies that are still accepted.
        var retired: [SecretHash] = []
    }

    private typealias SecretHash = [UInt8]

    let app: PageApp<Feature, Resources>
    public nonisolated let backend: PageBackend<Resources>
    public nonisolated let limits: Limits
    private var entries: [SecretHash: Entry] = [:]
    private var awakening: [SecretHash: Task<Session?, any Error>] = [:]
    private var anonymous: AnonymousPlaces<SecretHash>
    /// The number of sessions that count towards the limit but aren't in `entries` yet.
    private var beginning = 0
    /// When anonymous sessions were last swept.
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

    /// Returns the session of a secret, and wakes it if it sleeps; nil if no session has this
    /// secret.
    func session(for secret: Token, from visitor: Visitor) async throws -> Session? {
        let key = Array(secret.hash)
        if let entry = entries[key] {
            if !entry.retired.isEmpty {
                // The browser has its new cookie, so the old one becomes invalid.
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

    /// Returns the person who is signed in with a cookie if its session is awake; doesn't wake it.
    func identity(of secret: Token) -> Resources.Identity? {
        entries[Array(secret.hash)]?.session.resources.identity
    }

    /// Creates a session for an unknown browser. Returns the secret for its cookie.
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
            // The quota is checked first, because sweeping all sessions is expensive.
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
        await session.start()
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

    /// Makes room for a new session. If the address or its network has used up its quota, removes
    /// the session there that has been idle for longest. If the server's quota for anonymous
    /// sessions is used up, puts abandoned ones to sleep.
    private func makeRoom(for origin: VisitorOrigin) async {
        if let neighbours = anonymous.neighbours(ofNewcomerFrom: origin) {
            guard let longest = await longestIdle(among: neighbours) else { return }
            let session = entries[longest]?.session
            remove(longest)
            await session?.sleep()
        } else if anonymous.isFull {
            // Sweeps at most once a second, because sweeping checks thousands of sessions and any
            // request can trigger it.
            let now = backend.clock.now()
            if let last = sweptAnonymousAt, last.duration(to: now) < .seconds(1) { return }
            sweptAnonymousAt = now
            // A session that has had no stream for ten seconds is abandoned: a page opens its
            // stream within that time.
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

    /// Returns a new secret for a session; nil unless the page has the ticket that it got at
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

    /// Puts sessions to sleep that have been idle for at least `idle`.
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

    /// Performs periodic maintenance.
    func tick() async {
        await sweep(idle: limits.idle)
        for entry in entries.values { await entry.session.keepAlive() }
    }

    /// Ends every stream and rejects new sessions, so that the server can stop without waiting for
    /// readers.
    func close() async {
        isClosed = true
        let sessions = entries.values.map(\.session)
        entries = [:]
        for session in sessions { await session.sleep() }
    }
}
