import ComposableArchitecture
import Domain

/// Invites people without an account to be responders. An invitation is never queued, because a
/// late message would surprise the user. Every error is a `UserFacingError`.
@DependencyClient
public struct InvitationClient: Sendable {
    public var invitations: @Sendable () async throws -> [Invitation]
    /// Invites a person with one message. If the number looks wrong, throws an error with the code
    /// `UserFacingError.numberInDoubt`. The user then has to confirm the number: `isConfirmed`.
    public var invite:
        @Sendable (_ name: String, _ recipient: TypedRecipient, _ isConfirmed: Bool) async throws ->
            Invitation
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
