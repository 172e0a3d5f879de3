import ComposableArchitecture
import Domain

/// What administrators of the server did with the account. Nothing is queued. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct AdministrationClient: Sendable {
    /// The newest first.
    public var acts: @Sendable () async throws -> [AdminAct]
    /// Stops the change of the phone number that an administrator has begun.
    public var stopNumberMove: @Sendable () async throws -> UserProfile
}

extension AdministrationClient: TestDependencyKey {
    public static let testValue = AdministrationClient()
}

extension DependencyValues {
    public var administrationClient: AdministrationClient {
        get { self[AdministrationClient.self] }
        set { self[AdministrationClient.self] = newValue }
    }
}
