import ClientsLive
import Cryptography
import Domain
import Foundation

/// The web app's access to the server it runs in.
public struct WebBackend: Sendable {
    /// Fresh tokens for the session that a cookie's secret stands for; nil when it stands for none.
    public var resume: @Sendable (Token) async throws -> SessionTokens?
    /// Lets a secret stand for a session from now on.
    public var bind: @Sendable (Token, Caller) async throws -> Void
    /// The way to the API for a session whose browser is at this address.
    public var connect: @Sendable (_ address: String, Credentials) -> Connection
    public var makeToken: @Sendable () -> Token
    /// The server's time: that of every session, and what the pages' own clocks are compared with.
    public var time: @Sendable () -> Date
    /// The clock for idle times.
    public var now: @Sendable () -> ContinuousClock.Instant
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        resume: @escaping @Sendable (Token) async throws -> SessionTokens?,
        bind: @escaping @Sendable (Token, Caller) async throws -> Void,
        connect: @escaping @Sendable (String, Credentials) -> Connection,
        makeToken: @escaping @Sendable () -> Token = { RandomBytes.system.token() },
        time: @escaping @Sendable () -> Date,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.resume = resume
        self.bind = bind
        self.connect = connect
        self.makeToken = makeToken
        self.time = time
        self.now = now
        self.sleep = sleep
    }
}
