import ComposableArchitecture
import Domain
import Foundation

/// "I am fine", and how often to say it.
@DependencyClient
public struct CheckInClient: Sendable {
    /// Checks in. The same id again changes nothing. Throws `UserFacingError`.
    public var checkIn:
        @Sendable (_ id: CheckInID, _ occurredAt: Date) async throws -> Submission<CheckInRecord>
    /// The history, newest first. Throws `UserFacingError`.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<CheckInRecord>
    /// Sets interval and reminders. Throws `UserFacingError`.
    public var updateSettings:
        @Sendable (_ settings: CheckInSettings) async throws -> Submission<UserProfile>
}

extension CheckInClient: TestDependencyKey {
    public static let testValue = CheckInClient()
}

extension DependencyValues {
    public var checkInClient: CheckInClient {
        get { self[CheckInClient.self] }
        set { self[CheckInClient.self] = newValue }
    }
}
