import ComposableArchitecture
import Domain

/// Sources, which check in without the app. Nothing is queued, because an address is shown only in
/// the answer. Every error is a `UserFacingError`.
@DependencyClient
public struct SourceClient: Sendable {
    /// The oldest first.
    public var sources: @Sendable () async throws -> [CheckInSource]
    public var add: @Sendable (_ name: String) async throws -> NewSource
    public var remove: @Sendable (_ id: SourceID) async throws -> Void
}

extension SourceClient: TestDependencyKey {
    public static let testValue = SourceClient()
}

extension DependencyValues {
    public var sourceClient: SourceClient {
        get { self[SourceClient.self] }
        set { self[SourceClient.self] = newValue }
    }
}
