import ComposableArchitecture
import Domain

/// Drills. They are never queued, because a drill that begins late would surprise its owner. Every
/// error is a `UserFacingError`.
@DependencyClient
public struct DrillClient: Sendable {
    /// Loads the user's newest drill, and other people's drills that the user should answer now.
    public var overview: @Sendable () async throws -> DrillOverview
    public var start: @Sendable () async throws -> DrillRecord
    public var stop: @Sendable (_ id: DrillID) async throws -> DrillRecord
    /// Answers another person's drill ("Got it").
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
