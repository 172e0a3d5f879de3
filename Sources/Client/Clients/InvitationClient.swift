import ComposableArchitecture
import Domain

/// Responders without an account. All of it needs a connection: nobody is written to later than the
/// user expects. Every error is a `UserFacingError`.
@DependencyClient
public struct InvitationClient: Sendable {
    /// The people the user has invited, the newest first.
    public var invitations: @Sendable () async throws -> [Invitation]
    /// Asks somebody by one message.
    public var invite:
        @Sendable (_ name: String, _ recipient: InvitationRecipient) async throws -> Invitation
    /// Takes an invitation back.
    public var withdraw: @Sendable (_ id: InvitationID) async throws -> Void
}

extension InvitationClient: TestDependencyKey {
    public static let testValue = InvitationClient()
}

extension DependencyValues {
    public var invitationClient: InvitationClient {
        get { self[InvitationClient.self] }
        set { self[InvitationClient.self] = newValue }
    }
}
