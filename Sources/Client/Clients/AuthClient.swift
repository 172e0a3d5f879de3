import ComposableArchitecture
import Domain
import Foundation

/// Signing in and out, and the devices that are signed in. Every error is a `UserFacingError`.
@DependencyClient
public struct AuthClient: Sendable {
    /// Sends a code to a phone number.
    public var sendCode: @Sendable (_ phoneNumber: String) async throws -> Void
    /// Exchanges a number and its code for a session, which is kept.
    public var signIn: @Sendable (_ phoneNumber: String, _ code: String) async throws -> SignedIn
    /// The session that was kept from an earlier run; nil when nobody is signed in.
    public var session: @Sendable () async -> SignedIn? = { nil }
    /// Sends what still waits, ends the session, and clears what this device keeps.
    /// Throws `UserFacingError` when something waits and can't be sent, and changes nothing then.
    public var signOut: @Sendable () async throws -> Void
    /// The same, giving up what waits. It works offline: a session that can't be reached now ends
    /// on the server when its tokens lapse.
    public var signOutDiscardingQueue: @Sendable () async -> Void
    /// Says once that the session was ended elsewhere: on another device, or because the account is
    /// gone; with what waited and was not sent.
    public var sessionEnded: @Sendable () -> AsyncStream<[WaitingAction]> = { .finished }
    /// The devices that are signed in.
    public var sessions: @Sendable () async throws -> [Session]
    /// Ends the session of another device.
    public var endSession: @Sendable (_ id: SessionID) async throws -> Void
}

/// The signed-in user.
public struct SignedIn: Equatable, Sendable {
    public var userID: UserID
    /// Nobody has given a name yet: onboarding is ahead.
    public var isNewUser: Bool

    public init(userID: UserID, isNewUser: Bool) {
        self.userID = userID
        self.isNewUser = isNewUser
    }
}

extension AuthClient: TestDependencyKey {
    public static let testValue = AuthClient()
}

extension DependencyValues {
    public var authClient: AuthClient {
        get { self[AuthClient.self] }
        set { self[AuthClient.self] = newValue }
    }
}
