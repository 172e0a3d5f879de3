import ComposableArchitecture
import Domain
import Foundation

/// Sign-in, sign-out, and the signed-in devices. Every error is a `UserFacingError`.
@DependencyClient
public struct AuthClient: Sendable {
    /// Sends a code to a phone number that `PhoneNumber.digits(typed:)` has returned. Returns the
    /// number in the server's form. If the number looks wrong, throws an error with the code
    /// `UserFacingError.numberInDoubt`. The person then has to confirm the number: `isConfirmed`.
    public var sendCode:
        @Sendable (_ phoneNumber: String, _ isConfirmed: Bool) async throws -> PhoneNumber
    /// Like `sendCode`, for a person who shows an invitation. A token that was made for the number
    /// signs in at once.
    public var join:
        @Sendable (_ phoneNumber: String, _ isConfirmed: Bool, _ pass: SignUpPass) async throws ->
            Admission
    /// Returns who may sign up, and how; nil if the server can't be reached or is older.
    public var signInOptions: @Sendable () async -> SignInOptions? = AuthClient.noOptions
    /// Returns the name of the person whose QR code or link led to the sign-in page; nil if the
    /// server hides the name.
    public var inviter: @Sendable (_ code: String) async -> String? = { _ in nil }
    public var signIn: @Sendable (_ phoneNumber: String, _ code: String) async throws -> SignedIn
    /// Signs in by one of the person's recovery codes.
    public var recover:
        @Sendable (_ phoneNumber: String, _ recoveryCode: String) async throws -> SignedIn
    /// nil while signed out.
    public var session: @Sendable () async -> SignedIn? = { nil }
    /// Sends the queue, ends the session, and clears this device's data. If an action can't be
    /// sent, throws and changes nothing. Returns the actions that were queued during the sign-out
    /// and are unsent. They are kept for the same person's next sign-in.
    public var signOut: @Sendable () async throws -> [WaitingAction]
    /// Signs out and discards these queued actions; nil discards all that are queued now. Returns
    /// the other unsent actions, and those that the disk failed to remove. They are kept for the
    /// same person's next sign-in. If the server is unreachable, the session ends on the server
    /// when its tokens expire.
    public var signOutDiscardingQueue: @Sendable (_ ids: Set<UUID>?) async -> [WaitingAction] = {
        _ in []
    }
    /// Yields the unsent actions when another device has ended the session or deleted the account.
    public var sessionEnded: @Sendable () -> AsyncStream<[WaitingAction]> = { .finished }
    public var sessions: @Sendable () async throws -> [Session]
    /// Ends the session of another device.
    public var endSession: @Sendable (_ id: SessionID) async throws -> Void
}

/// The token or inviter's code that a new account needs on a server without open sign-up.
public struct SignUpPass: Equatable, Sendable {
    /// The operator's token.
    public var token: String?
    /// The code or link of a person with an account.
    public var inviterCode: String?

    public init(token: String? = nil, inviterCode: String? = nil) {
        self.token = token
        self.inviterCode = inviterCode
    }
}

/// What follows after a number was entered.
public enum Admission: Equatable, Sendable {
    case codeSent(PhoneNumber)
    case signedIn(SignedIn)
}

public struct SignedIn: Equatable, Sendable {
    public var userID: UserID
    /// True while the profile lacks a name, so that onboarding comes next.
    public var isNewUser: Bool
    /// The session of this device; nil if it could not be read.
    public var sessionID: SessionID?

    public init(userID: UserID, isNewUser: Bool, sessionID: SessionID? = nil) {
        self.userID = userID
        self.isNewUser = isNewUser
        self.sessionID = sessionID
    }
}

extension AuthClient {
    /// Not a closure literal, because a test without options is not in error.
    @Sendable public static func noOptions() async -> SignInOptions? { nil }
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
