import ComposableArchitecture
import Domain

/// Drills: tests of the whole ladder. All of it needs a connection: a test that begins later would
/// surprise everybody, its owner included. Every error is a `UserFacingError`.
@DependencyClient
public struct DrillClient: Sendable {
    /// The user's newest drill, and those of others that ask them now.
    public var overview: @Sendable () async throws -> DrillOverview
    /// Starts one.
    public var start: @Sendable () async throws -> DrillRecord
    /// Ends the user's own.
    public var stop: @Sendable (_ id: DrillID) async throws -> DrillRecord
    /// "Got it", to somebody else's.
    public var answer: @Sendable (_ id: DrillID) async throws -> DrillQuestion
}

extension DrillClient: TestDependencyKey {
    public static let testValue = DrillClient()
}

extension DependencyValues {
    public var drillClient: DrillClient {
        get { self[DrillClient.self] }
        set { self[DrillClient.self] = newValue }
    }
}
