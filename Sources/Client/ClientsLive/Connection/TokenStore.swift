import API
import Domain
import Foundation
import Synchronization

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

/// Stores tokens so that they outlive the process.
public protocol TokenStore: Sendable {
    /// Returns the tokens; nil while signed out.
    func load() async throws -> SessionTokens?
    /// Saves the tokens. Returns once they survive a kill.
    func save(_ tokens: SessionTokens) async throws
    func delete() async throws
    /// Returns the key that identifies this device at later sign-ins. The key is made at first use
    /// and outlives the session; nil if the store keeps none.
    func deviceKey() async -> DeviceKey?
    /// Returns the session's pass for one call for help; nil if no pass is stored.
    func alertPass() async -> StoredAlertPass?
    func save(alertPass: StoredAlertPass) async
    /// Runs `body` while other processes with the same store wait. Two renewals with the same
    /// refresh token would end the session.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws
        -> Value
}

extension TokenStore {
    public func deviceKey() async -> DeviceKey? { nil }
    public func alertPass() async -> StoredAlertPass? { nil }
    public func save(alertPass: StoredAlertPass) async {}
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value)
        async throws -> Value
    { try await body() }
}

/// Keeps tokens in memory, for sessions that end with the process, as on a server and in tests.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<SessionTokens?>
    private let pass = Mutex<StoredAlertPass?>(nil)

    public init(_ tokens: SessionTokens? = nil) { self.tokens = Mutex(tokens) }

    public func alertPass() async -> StoredAlertPass? { pass.withLock { $0 } }
    public func save(alertPass: StoredAlertPass) async { pass.withLock { $0 = alertPass } }

    public func load() -> SessionTokens? { tokens.withLock { $0 } }
    public func save(_ tokens: SessionTokens) { self.tokens.withLock { $0 = tokens } }
    public func delete() { tokens.withLock { $0 = nil } }
}
