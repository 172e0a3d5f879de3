import ComposableArchitecture
import Domain
import Foundation

/// "Are you fine?" and its answers. The contact's id identifies a pending ping, because only one
/// can be pending from one person to another. Every error is a `UserFacingError`.
@DependencyClient
public struct PingClient: Sendable {
    /// Pings a dependent, or returns the pending ping.
    public var pingDependent: @Sendable (_ id: UserID) async throws -> Submission<PingRecord>
    /// Withdraws the pending ping to a dependent.
    public var clearPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers the pending ping of a responder.
    public var respondToPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers all pings that this device shows as pending.
    public var respondToAllPings: @Sendable () async throws -> Void
    /// Loads the pings sent and received, newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<PingRecord>
    /// The pings that this device knows, newest first: the current list at once, and a new list
    /// after each change.
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
