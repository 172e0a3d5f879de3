import ComposableArchitecture
import Cryptography

/// The sessions that are awake, by the hash of the secret in their browser's cookie. What sleeps is
/// not here: it comes back from the rows.
public actor PageSessions<Feature: Reducer & SendableMetatype, Resources: PageResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    public typealias Session = PageSession<Feature, Resources>

    /// How many and how long.
    public struct Limits: Sendable {
        public var sessions = 20_000
        /// Of people who are not signed in: in all, at one address (IPv4 or IPv6 /64) and in one
        /// IPv6 /48. Families and offices share an address.
        public var anonymous = 5_000
        public var anonymousPerAddress = 20
        public var anonymousPerNetwork = 100
        /// A session without a stream sleeps after this.
        public var idle: Duration = .seconds(300)
        /// How long a first page waits for its content.
        public var settling: Duration = .milliseconds(800)
        public init() {}
    }

    private struct Entry {
        var session: Session
        /// Cookies that the browser had before this one.
        var retired: [SecretHash] = []
    }

    private typealias SecretHash = [UInt8]

    let app: PageApp<Feature, Resources>
    public nonisolated let backend: PageBackend<Resources>
    public nonisolated let limits: Limits
    private var entries: [SecretHash: Entry] = [:]
    private var awakening: [SecretHash: Task<Session?, any Error>] = [:]
    private var anonymous: AnonymousPlaces<SecretHash>
    /// Sessions that have a place already and are not in `entries` yet.
    private var beginning = 0
    /// The time of the last look at every anonymous session.
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

    /// The session that a secret stands for, awakened if it sleeps; nil when it stands for none.
    func session(for secret: Token, from visitor: Visitor) async throws -> Session? {
        let key = Array(secret.hash)
        if let entry = entries[key] {
            if !entry.retired.isEmpty {
                // The browser has its new cookie: the old one is worthless from now on.
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

    /// The person who is signed in by a cookie, if its session is awake: nothing is awakened.
    func identity(of secret: Token) -> Resources.Identity? {
        entries[Array(secret.hash)]?.session.resources.identity
    }

    /// A session for a browser that nobody knows. Returns the secret for its cookie.
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
            // Before a look at all sessions.
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

    /// A newcomer takes the place of the neighbour whom nobody has looked at for longest. When all
    /// anonymous places are taken, those that were left go.
    private func makeRoom(for origin: VisitorOrigin) async {
        if let neighbours = anonymous.neighbours(ofNewcomerFrom: origin) {
            guard let longest = await longestIdle(among: neighbours) else { return }
            let session = entries[longest]?.session
            remove(longest)
            await session?.sleep()
        } else if anonymous.isFull {
            // At most once a second: it is a look at thousands of sessions, which any request
            // could ask for.
            let now = backend.clock.now()
            if let last = sweptAnonymousAt, last.duration(to: now) < .seconds(1) { return }
            sweptAnonymousAt = now
            // A page opens its stream within ten seconds.
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

    /// Signed-in people come before anonymous ones, even before those with an open page.
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

    /// A new secret for a session whose page shows the ticket that it was given at sign-in; nil for
    /// any other.
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

    /// Puts sessions to sleep that nobody has looked at for `idle`.
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

    /// Periodic maintenance.
    func tick() async {
        await sweep(idle: limits.idle)
        for entry in entries.values { await entry.session.keepAlive() }
    }

    /// Ends every stream, and each session that begins from now on: a stop of the server does not
    /// wait for readers.
    func close() async {
        isClosed = true
        let sessions = entries.values.map(\.session)
        entries = [:]
        for session in sessions { await session.sleep() }
    }
}
