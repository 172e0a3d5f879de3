import ComposableArchitecture
import Domain
import Foundation

/// Pings ("Are you fine?") and their answers. A contact's id identifies a pending ping, because a
/// person has at most one pending ping to another. Every error is a `UserFacingError`.
@DependencyClient
public struct PingClient: Sendable {
    /// Pings a dependent, or returns the pending ping.
    public var pingDependent: @Sendable (_ id: UserID) async throws -> Submission<PingRecord>
    /// Withdraws the pending ping to a dependent.
    public var clearPing: @Sendable (_ id: UserID) async throws -> Void
    public var respondToPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers all pings that this device shows as pending.
    public var respondToAllPings: @Sendable () async throws -> Void
    /// Newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<PingRecord>
    /// Yields this device's pings, newest first, now and after each change.
    public var pingsStream: @Sendable () -> AsyncStream<[PingRecord]> = { .finished }
}

extension PingClient: TestDependencyKey {
    public static let testValue = PingClient()
}

extension DependencyValues {
    public var pingClient: PingClient {
        get { self[PingClient.self] }
        set { self[PingClient.self] = newValue }
    }
}
