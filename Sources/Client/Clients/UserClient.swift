import ComposableArchitecture
import Domain
import Foundation

/// The user's profile, e-mail address and QR code. Every error is a `UserFacingError`.
@DependencyClient
public struct UserClient: Sendable {
    /// Falls back to this device's copy if the server is unreachable.
    public var profile: @Sendable () async throws -> UserProfile
    /// Like `profile`, but throws if the server is unreachable.
    public var loadedProfile: @Sendable () async throws -> UserProfile
    /// Yields this device's profile, now and after each change.
    public var profileStream: @Sendable () -> AsyncStream<UserProfile> = { .finished }
    /// nil keeps the present value.
    public var updateProfile:
        @Sendable (_ name: String?, _ emergencyNote: String?) async throws -> Submission<
            UserProfile
        >
    /// Leaves the emergency note out of the server's copy with Google, or lets the copy have it.
    public var setLeavesNoteOutOfCopy:
        @Sendable (_ leavesOut: Bool) async throws -> Submission<UserProfile>
    /// Moves the account to another phone number, with the code sent to that number.
    public var changePhoneNumber:
        @Sendable (_ phoneNumber: String, _ code: String) async throws -> UserProfile
    public var emailStatus: @Sendable () async throws -> EmailStatus
    /// The server sends a code to the address.
    public var setEmailAddress: @Sendable (_ address: String) async throws -> EmailStatus
    public var confirmEmailAddress: @Sendable (_ code: String) async throws -> EmailStatus
    public var removeEmailAddress: @Sendable () async throws -> Void
    public var qrCode: @Sendable () async throws -> QRCodeInfo
    /// The old code stops working.
    public var renewQRCode: @Sendable () async throws -> QRCodeInfo
    /// Returns one JSON file.
    public var exportAccount: @Sendable () async throws -> Data
    /// Deletes the account and this device's data. The server may require a code. Then a call
    /// without a code makes the server send one, and throws `UserFacingError` with the code
    /// `code-needed`.
    public var deleteAccount: @Sendable (_ code: String?) async throws -> Void
}

extension UserClient: TestDependencyKey {
    public static let testValue = UserClient()
}

extension DependencyValues {
    public var userClient: UserClient {
        get { self[UserClient.self] }
        set { self[UserClient.self] = newValue }
    }
}
