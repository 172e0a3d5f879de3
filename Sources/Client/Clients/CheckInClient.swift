import ComposableArchitecture
import Domain
import Foundation

/// Check-ins ("I am fine"), their schedule, their reminders and pauses. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct CheckInClient: Sendable {
    /// Checks in. Idempotent for the same id.
    public var checkIn:
        @Sendable (_ id: CheckInID, _ occurredAt: Date) async throws -> Submission<CheckInRecord>
    /// Newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<CheckInRecord>
    /// Changes only these parts, or all for nil. The others stay as another device may have changed
    /// them.
    public var updateSettings:
        @Sendable (_ settings: CheckInSettings, _ only: Set<CheckInSettings.Part>?) async throws ->
            Submission<UserProfile>
    /// Begins a pause, or changes its end.
    public var pause: @Sendable (_ until: Date) async throws -> Submission<UserProfile>
    public var endPause: @Sendable () async throws -> Submission<UserProfile>
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
