import ComposableArchitecture
import Domain
import Foundation

/// The sign-in lock and recovery codes. Nothing is queued. Every error is a `UserFacingError`.
@DependencyClient
public struct SignInSecurityClient: Sendable {
    public var security: @Sendable () async throws -> SignInSecurity
    /// Turns the lock on, or keeps it on before its end.
    public var lock: @Sendable () async throws -> SignInSecurity
    /// Turns the lock off, at once with a recovery code.
    public var unlock: @Sendable (_ recoveryCode: String?) async throws -> SignInSecurity
    /// Stops the sign-in that waits.
    public var stopWait: @Sendable () async throws -> SignInSecurity
    /// Makes new codes, which replace the old ones. While the lock is on, this needs an old one. A
    /// repeat with the same `request` gets the same codes.
    public var makeCodes:
        @Sendable (_ recoveryCode: String?, _ request: UUID) async throws -> [String]
}

extension SignInSecurityClient: TestDependencyKey {
    public static let testValue = SignInSecurityClient()
}

extension DependencyValues {
    public var signInSecurityClient: SignInSecurityClient {
        get { self[SignInSecurityClient.self] }
        set { self[SignInSecurityClient.self] = newValue }
    }
}
