import ComposableArchitecture
import Domain
import Foundation

/// The alerts of the user and of the user's dependents. Every error is a `UserFacingError`.
@DependencyClient
public struct AlertClient: Sendable {
    /// Raises a manual alert, or returns the open alert. If the server is unreachable, queues the
    /// alert ahead of all other actions (product.md, "Manual alert").
    public var raise: @Sendable (_ id: AlertID) async throws -> Submission<AlertRecord>
    /// Raises an alert that could not be sent at the time `raisedAt`.
    public var raiseEarlier:
        @Sendable (_ id: AlertID, _ raisedAt: Date) async throws -> Submission<AlertRecord>
    public var end: @Sendable (_ id: AlertID) async throws -> Submission<AlertRecord>
    /// Reports that the user has opened a dependent's alert, which stops SMS and calls to the user.
    public var opened: @Sendable (_ id: AlertID) async throws -> Void
    /// Acknowledges an alert ("I'm on it"), or confirms that the user is still on it.
    public var acknowledge: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Declines ("I can't"), so that the next responder is called.
    public var decline: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Withdraws an acknowledgement ("I can't after all").
    public var withdraw: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Tells everyone what the user found, and pauses the repeats.
    public var report: @Sendable (_ id: AlertID, _ report: AlertReport) async throws -> AlertRecord
    /// Resumes the repeats after a report.
    public var resume: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Loads one alert with its deliveries.
    public var alert: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Loads the alerts of the user and of their dependents, newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<AlertRecord>
    /// Yields this device's open and recent alerts, including queued ones, now and after each
    /// change.
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
