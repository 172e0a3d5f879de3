import ComposableArchitecture
import Domain
import Foundation

/// The user's own profile, and the code that others add them by. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct UserClient: Sendable {
    /// The profile as the server has it; the device's copy when it can't be reached.
    public var profile: @Sendable () async throws -> UserProfile
    /// The profile as this device has it, at once, and again after each change.
    public var profileStream: @Sendable () -> AsyncStream<UserProfile> = { .finished }
    /// Changes name or emergency note; what is nil stays.
    public var updateProfile:
        @Sendable (_ name: String?, _ emergencyNote: String?) async throws -> Submission<
            UserProfile
        >
    /// Moves the account to another number, with the code that was sent there.
    public var changePhoneNumber:
        @Sendable (_ phoneNumber: String, _ code: String) async throws -> UserProfile
    /// The user's e-mail address, and how it does.
    public var emailStatus: @Sendable () async throws -> EmailStatus
    /// Enters an address, to which a code goes.
    public var setEmailAddress: @Sendable (_ address: String) async throws -> EmailStatus
    /// Confirms the address with its code.
    public var confirmEmailAddress: @Sendable (_ code: String) async throws -> EmailStatus
    public var removeEmailAddress: @Sendable () async throws -> Void
    /// The user's current code.
    public var qrCode: @Sendable () async throws -> QRCodeInfo
    /// A new code; the old one is worthless from then on.
    public var renewQRCode: @Sendable () async throws -> QRCodeInfo
    /// Everything about the user, as one JSON file.
    public var exportAccount: @Sendable () async throws -> Data
    /// Deletes the account, and everything that this device keeps.
    public var deleteAccount: @Sendable () async throws -> Void
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
