import ComposableArchitecture
import Domain
import Foundation

/// "Are you fine?" and its answers. A person is named by their contact's id: between two people one
/// ping is pending at a time. Every error is a `UserFacingError`.
@DependencyClient
public struct PingClient: Sendable {
    /// Asks a dependent. A pending ping is returned instead of a second.
    public var pingDependent: @Sendable (_ id: UserID) async throws -> Submission<PingRecord>
    /// Takes the pending ping to a dependent back.
    public var clearPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers the pending ping of a responder.
    public var respondToPing: @Sendable (_ id: UserID) async throws -> Void
    /// Answers all pings that this device shows as pending.
    public var respondToAllPings: @Sendable () async throws -> Void
    /// Pings sent and received, newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<PingRecord>
    /// The pings on this device, newest first, at once and after each change.
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
