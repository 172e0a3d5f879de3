import ComposableArchitecture
import Domain
import Foundation

/// The user's profile, and the code that others use to add the user. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct UserClient: Sendable {
    /// Loads the profile from the server; if the server is unreachable, returns this device's copy.
    public var profile: @Sendable () async throws -> UserProfile
    /// This device's profile: the current one at once, and a new one after each change.
    public var profileStream: @Sendable () -> AsyncStream<UserProfile> = { .finished }
    /// Changes the name or the emergency note; nil leaves a value as it is.
    public var updateProfile:
        @Sendable (_ name: String?, _ emergencyNote: String?) async throws -> Submission<
            UserProfile
        >
    /// Moves the account to another number, with the code sent to that number.
    public var changePhoneNumber:
        @Sendable (_ phoneNumber: String, _ code: String) async throws -> UserProfile
    /// Loads the user's e-mail address and its status.
    public var emailStatus: @Sendable () async throws -> EmailStatus
    /// Sets an address. The server sends a code to it.
    public var setEmailAddress: @Sendable (_ address: String) async throws -> EmailStatus
    /// Confirms the address with its code.
    public var confirmEmailAddress: @Sendable (_ code: String) async throws -> EmailStatus
    public var removeEmailAddress: @Sendable () async throws -> Void
    /// Loads the user's current QR code.
    public var qrCode: @Sendable () async throws -> QRCodeInfo
    /// Replaces the code. The old one stops working.
    public var renewQRCode: @Sendable () async throws -> QRCodeInfo
    /// Exports all data about the user as one JSON file.
    public var exportAccount: @Sendable () async throws -> Data
    /// Deletes the account and this device's data. If no code is given, a server that can send
    /// codes sends one, and this throws `UserFacingError` with the code `code-needed`.
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
