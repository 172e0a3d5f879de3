import ComposableArchitecture
import Domain
import Foundation

/// The user's own profile, and the code that others add them by.
@DependencyClient
public struct UserClient: Sendable {
    /// The profile as the server has it; the device's copy when it can't be reached. Throws
    /// `UserFacingError`.
    public var profile: @Sendable () async throws -> UserProfile
    /// The profile as this device has it, at once, and again after each change.
    public var profileStream: @Sendable () -> AsyncStream<UserProfile> = { .finished }
    /// Changes name or emergency note; what is nil stays. Throws `UserFacingError`.
    public var updateProfile:
        @Sendable (_ name: String?, _ emergencyNote: String?) async throws -> Submission<
            UserProfile
        >
    /// Moves the account to another number, with the code that was sent there. Throws
    /// `UserFacingError`.
    public var changePhoneNumber:
        @Sendable (_ phoneNumber: String, _ code: String) async throws -> UserProfile
    /// The user's e-mail address, and how it does. Throws `UserFacingError`.
    public var emailStatus: @Sendable () async throws -> EmailStatus
    /// Enters an address, to which a code goes. Throws `UserFacingError`.
    public var setEmailAddress: @Sendable (_ address: String) async throws -> EmailStatus
    /// Confirms the address with its code. Throws `UserFacingError`.
    public var confirmEmailAddress: @Sendable (_ code: String) async throws -> EmailStatus
    /// Throws `UserFacingError`.
    public var removeEmailAddress: @Sendable () async throws -> Void
    /// The user's current code. Throws `UserFacingError`.
    public var qrCode: @Sendable () async throws -> QRCodeInfo
    /// A new code; the old one is worthless from then on. Throws `UserFacingError`.
    public var renewQRCode: @Sendable () async throws -> QRCodeInfo
    /// Everything about the user, as one JSON file. Throws `UserFacingError`.
    public var exportAccount: @Sendable () async throws -> Data
    /// Deletes the account, and everything that this device keeps. Throws `UserFacingError`.
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
