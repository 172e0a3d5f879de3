import ComposableArchitecture
import Domain

/// The person's passkeys, and signing in by one. Nothing is queued. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct PasskeyClient: Sendable {
    /// Returns what this device needs to sign in by a passkey.
    public var signInRequest: @Sendable () async throws -> PasskeyRequest
    public var signIn: @Sendable (_ assertion: PasskeyAssertion) async throws -> SignedIn
    public var passkeys: @Sendable () async throws -> [Passkey]
    /// Returns what this device needs to make a passkey.
    public var newPasskeyRequest: @Sendable () async throws -> PasskeyRequest
    /// Adds a passkey with this device's name.
    public var add: @Sendable (_ registration: PasskeyRegistration) async throws -> Passkey
    public var rename: @Sendable (_ id: PasskeyID, _ name: String) async throws -> Passkey
    public var remove: @Sendable (_ id: PasskeyID) async throws -> Void
}

extension PasskeyClient: TestDependencyKey {
    public static let testValue = PasskeyClient()
}

extension DependencyValues {
    public var passkeyClient: PasskeyClient {
        get { self[PasskeyClient.self] }
        set { self[PasskeyClient.self] = newValue }
    }
}
