import Cryptography
import Foundation

public struct PageBackend<Resources: PageResources>: Sendable {
    /// Returns the resources of the session with a cookie's secret, if there is such a session.
    public var resume: @Sendable (Token, Visitor) async throws -> Resources?
    /// Returns the resources of a new session for an unknown browser.
    public var begin: @Sendable (Visitor) -> Resources
    /// Stores the new secret of a session.
    public var bind: @Sendable (Token, Resources.Identity) async throws -> Void
    public var makeToken: @Sendable () -> Token
    public var clock: PageClock

    public init(
        resume: @escaping @Sendable (Token, Visitor) async throws -> Resources?,
        begin: @escaping @Sendable (Visitor) -> Resources,
        bind: @escaping @Sendable (Token, Resources.Identity) async throws -> Void,
        makeToken: @escaping @Sendable () -> Token = { RandomBytes.system.token() },
        clock: PageClock = PageClock()
    ) {
        self.resume = resume
        self.begin = begin
        self.bind = bind
        self.makeToken = makeToken
        self.clock = clock
    }
}

public struct PageClock: Sendable {
    /// The server's time. Pages compare their own clocks with it.
    public var time: @Sendable () -> Date
    /// The monotonic time, for measuring how long a session has been idle.
    public var now: @Sendable () -> ContinuousClock.Instant
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        time: @escaping @Sendable () -> Date = { Date() },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.time = time
        self.now = now
        self.sleep = sleep
    }
}
