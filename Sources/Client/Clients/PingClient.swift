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
    /// Answers the pending ping of a contact. Throws if none is pending, unless the newest is
    /// answered already.
    public var respondToPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers a ping at once, without the queue. Counts from the press, even if a retry brings it.
    /// Returns the server's record, which says whether the ping was still open.
    public var answer: @Sendable (_ id: PingID) async throws -> PingRecord
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
