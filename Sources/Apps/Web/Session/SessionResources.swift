import ClientsLive
import Domain
import LivePages
import Synchronization

/// A browser session's tokens for the API, in memory only. The features sign in and out through it.
public final class Credentials: TokenStore {
    private let stored: Mutex<SessionTokens?>
    private let zone = Mutex<String?>(nil)

    public init(_ tokens: SessionTokens? = nil) { stored = Mutex(tokens) }

    /// Nil while nobody is signed in.
    public var tokens: SessionTokens? { stored.withLock { $0 } }

    public func load() -> SessionTokens? { tokens }
    public func save(_ tokens: SessionTokens) { stored.withLock { $0 = tokens } }
    public func delete() { stored.withLock { $0 = nil } }

    /// The time zone of the session's browser, as one of its pages told; nil before.
    public var timeZone: String? { zone.withLock { $0 } }
    func note(timeZone: String) { zone.withLock { $0 = timeZone } }
}

/// A session's user and its connection to the API, both there from the beginning.
public struct SessionResources: PageResources {
    public let credentials: Credentials
    /// Calls the API as the signed-in user, with the same checks as calls from outside.
    public let connection: Connection
    /// The session's name in the list of sessions.
    public let browserName: String
    /// The browser's part in messages that arrive with no page open.
    public let push = BrowserPush()
    private let endings = Endings()

    public init(
        credentials: Credentials, connection: Connection, browserName: String = BrowserName.unknown
    ) {
        self.credentials = credentials
        self.connection = connection
        self.browserName = browserName
    }

    /// Something to be done when the session sleeps or is over.
    public func atEnd(_ work: @escaping @Sendable () async -> Void) {
        endings.work.withLock { $0.append(work) }
    }

    /// The connection's requests report it.
    public func noteTimeZone(_ name: String) {
        guard let zone = ClockZone(name) else { return }
        credentials.note(timeZone: zone.name)
    }

    public var identity: Caller? {
        credentials.tokens.map { Caller(userID: $0.userID, sessionID: $0.sessionID) }
    }

    /// Lets go of everything that lives longer than the store.
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
