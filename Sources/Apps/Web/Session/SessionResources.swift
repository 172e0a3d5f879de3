import ClientsLive
import Domain
import LivePages
import Synchronization

/// A browser session's tokens for the API, in memory only. Features sign in and out through it.
public final class Credentials: TokenStore {
    private let stored: Mutex<SessionTokens?>
    private let zone = Mutex<String?>(nil)
    private let accepted = Mutex<String?>(nil)

    public init(_ tokens: SessionTokens? = nil) { stored = Mutex(tokens) }

    /// The tokens; nil while signed out.
    public var tokens: SessionTokens? { stored.withLock { $0 } }

    public func load() -> SessionTokens? { tokens }
    public func save(_ tokens: SessionTokens) { stored.withLock { $0 = tokens } }
    public func delete() { stored.withLock { $0 = nil } }

    /// The time zone of the session's browser; nil until one of its pages has reported it.
    public var timeZone: String? { zone.withLock { $0 } }
    func note(timeZone: String) { zone.withLock { $0 = timeZone } }

    /// Whether a page is visible. A session outlives its last page for a while, and the user
    /// doesn't see updates then.
    public let sight = PageSight()

    /// The browser's Accept-Language header, which suggests the country of a national phone number.
    public var languages: String? { accepted.withLock { $0 } }
    func note(languages: String?) { accepted.withLock { $0 = languages } }
}

/// A session's user and connection to the API. Both exist from the start.
public struct SessionResources: PageResources {
    public let credentials: Credentials
    /// Calls the API as the signed-in user, with the same checks as calls from outside.
    public let connection: Connection
    /// The session's name in the list of sessions.
    public let browserName: String
    /// The state of the browser's push subscription.
    public let push = BrowserPush()
    public let executor: SessionExecutor? = SessionExecutor()
    private let endings = Endings()

    public init(
        credentials: Credentials, connection: Connection, browserName: String = BrowserName.unknown
    ) {
        self.credentials = credentials
        self.connection = connection
        self.browserName = browserName
    }

    /// Adds work to do when the session is suspended or ends.
    public func atEnd(_ work: @escaping @Sendable () async -> Void) {
        endings.work.withLock { $0.append(work) }
    }

    /// Stores the browser's time zone. Each request of the connection reports it.
    public func noteTimeZone(_ name: String) {
        guard let zone = ClockZone(name) else { return }
        credentials.note(timeZone: zone.name)
    }

    public var sight: PageSight? { credentials.sight }

    public var identity: Caller? {
        credentials.tokens.map { Caller(userID: $0.userID, sessionID: $0.sessionID) }
    }

    /// Releases everything that outlives the store.
    public func end() {
        let work = endings.work.withLock { work in
            defer { work = [] }
            return work
        }
        for step in work { Task { await step() } }
    }

    private final class Endings: Sendable {
        let work = Mutex<[@Sendable () async -> Void]>([])
    }
}
