import ComposableArchitecture
import Domain

/// Invites people to be responders without an account. Invitations are never queued: a late message
/// would surprise the user. Every error is a `UserFacingError`.
@DependencyClient
public struct InvitationClient: Sendable {
    /// Loads the user's invitations, newest first.
    public var invitations: @Sendable () async throws -> [Invitation]
    /// Invites a person with one message. Throws an error with the code
    /// `UserFacingError.numberInDoubt` if the user has to confirm the number: `isConfirmed`.
    public var invite:
        @Sendable (_ name: String, _ recipient: TypedRecipient, _ isConfirmed: Bool) async throws ->
            Invitation
    /// Withdraws an invitation.
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
