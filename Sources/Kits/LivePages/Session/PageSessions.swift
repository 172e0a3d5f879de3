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
    private var isClosed = false

    public init(
        app: PageApp<Feature, Resources>, backend: PageBackend<Resources>,
        limits: Limits = Limits()
    ) {
        self.app = app
        self.backend = backend
        self.limits = limits
    }

    public var count: Int { entries.count }

    /// The session that a secret stands for, awakened if it sleeps; nil when it stands for none.
    func session(for secret: Token, from visitor: Visitor) async throws -> Session? {
        let key = Array(secret.hash)
        if let entry = entries[key] {
            if !entry.retired.isEmpty {
                // The browser has its new cookie: the old one is worthless from now on.
                for old in entry.retired { entries[old] = nil }
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
        return try await begin(secret, resources)
    }

    /// A session for a browser that nobody knows. Returns the secret for its cookie.
    func newSession(for visitor: Visitor) async throws -> (secret: Token, session: Session) {
        let secret = backend.makeToken()
        return (secret, try await begin(secret, backend.begin(visitor)))
    }

    private func begin(_ secret: Token, _ resources: Resources) async throws -> Session {
        if entries.count >= limits.sessions { await sweep(idle: .zero) }
        guard !isClosed, entries.count < limits.sessions else {
            throw PageError.tooManySessions
        }
        let session = Session(app: app, backend: backend, resources: resources)
        await session.start()
        entries[Array(secret.hash)] = Entry(session: session)
        return session
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
        entries[Array(new.hash)] = Entry(session: session, retired: others)
        return new
    }

    /// Puts sessions to sleep that nobody has looked at for `idle`.
    func sweep(idle: Duration) async {
        let now = backend.clock.now()
        for (key, entry) in entries {
            guard await !entry.session.hasStream,
                await entry.session.idleSince.duration(to: now) >= idle
            else { continue }
            entries[key] = nil
            await entry.session.sleep()
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
