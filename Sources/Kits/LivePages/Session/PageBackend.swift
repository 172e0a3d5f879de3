import Cryptography
import Foundation

/// The server's functions that sessions use.
public struct PageBackend<Resources: PageResources>: Sendable {
    /// The resources of the session that a cookie's secret stands for; nil when it stands for none.
    public var resume: @Sendable (Token, Visitor) async throws -> Resources?
    /// The resources of a session for a browser that nobody knows.
    public var begin: @Sendable (Visitor) -> Resources
    /// Lets a secret stand for a session from now on.
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

/// The times of the server that sessions go by.
public struct PageClock: Sendable {
    /// The server's time: that of every session, and what the pages' own clocks are compared with.
    public var time: @Sendable () -> Date
    /// The clock for idle times.
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
