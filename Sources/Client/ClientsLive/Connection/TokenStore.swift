import API
import Domain
import Foundation
import Synchronization

/// The tokens of a session.
public struct SessionTokens: Codable, Equatable, Sendable {
    public var accessToken: String
    public var refreshToken: String
    public var userID: UserID
    public var sessionID: SessionID

    public init(accessToken: String, refreshToken: String, userID: UserID, sessionID: SessionID) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.userID = userID
        self.sessionID = sessionID
    }

    public init(_ response: TokenResponse) {
        self.init(
            accessToken: response.accessToken, refreshToken: response.refreshToken,
            userID: response.userID, sessionID: response.sessionID)
    }
}

/// A store in which tokens outlive the process.
public protocol TokenStore: Sendable {
    /// nil when nobody is signed in.
    func load() async throws -> SessionTokens?
    /// Returns once the tokens survive a kill.
    func save(_ tokens: SessionTokens) async throws
    func delete() async throws
    /// The key by which servers know this device again after it has signed in. Made at its first
    /// use, kept when the session ends; nil where nothing is kept.
    func deviceKey() async -> DeviceKey?
    /// Keeps other processes with the same store away while `body` runs: two that renew one session
    /// with the same refresh token would end it.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws
        -> Value
}

extension TokenStore {
    public func deviceKey() async -> DeviceKey? { nil }
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    { try await body() }
}

/// Tokens of a session that ends with the process: on a server, and in tests.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<SessionTokens?>

    public init(_ tokens: SessionTokens? = nil) { self.tokens = Mutex(tokens) }

    public func load() -> SessionTokens? { tokens.withLock { $0 } }
    public func save(_ tokens: SessionTokens) { self.tokens.withLock { $0 = tokens } }
    public func delete() { tokens.withLock { $0 = nil } }
}
