import ComposableArchitecture
import Domain
import Foundation

/// Calls for help: one's own, and those of the people one watches over. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct AlertClient: Sendable {
    /// Raises a manual alert; an open one is returned instead of a second. Throws `UserFacingError`
    /// when it is refused, never because the server can't be reached: then it waits, before
    /// everything else (product.md, "Manual alert").
    public var raise: @Sendable (_ id: AlertID) async throws -> Submission<AlertRecord>
    /// The same for an alert that was raised earlier and could not be sent then.
    public var raiseEarlier:
        @Sendable (_ id: AlertID, _ raisedAt: Date) async throws -> Submission<AlertRecord>
    /// Ends one's own alert.
    public var end: @Sendable (_ id: AlertID) async throws -> Submission<AlertRecord>
    /// The user has opened a dependent's alert: they are told no more by SMS or a call.
    public var opened: @Sendable (_ id: AlertID) async throws -> Void
    /// "I'm on it", or "it goes on".
    public var acknowledge: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// "I can't": the next one is called.
    public var decline: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// "I can't after all".
    public var withdraw: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Tells everyone what the user found, and pauses the repeats.
    public var report: @Sendable (_ id: AlertID, _ report: AlertReport) async throws -> AlertRecord
    /// Lets the repeats go on in spite of a report.
    public var resume: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// One alert with who was told, when and how.
    public var alert: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// The user's alerts and those of their dependents, newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<AlertRecord>
    /// The open and recent alerts on this device, at once and after each change. Queued alerts are
    /// included.
    public var alertsStream: @Sendable () -> AsyncStream<[AlertRecord]> = { .finished }
}

extension AlertClient: TestDependencyKey {
    public static let testValue = AlertClient()
}

extension DependencyValues {
    public var alertClient: AlertClient {
        get { self[AlertClient.self] }
        set { self[AlertClient.self] = newValue }
    }
}
