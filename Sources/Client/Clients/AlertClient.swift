import ComposableArchitecture
import Domain
import Foundation

/// The user's own alerts, and the alerts of the people whom the user watches over. Every error is a
/// `UserFacingError`.
@DependencyClient
public struct AlertClient: Sendable {
    /// Raises a manual alert, or returns the open one. Throws `UserFacingError` if the server
    /// refuses it. If the server is unreachable, throws nothing: the alert is queued ahead of
    /// everything else (product.md, "Manual alert").
    public var raise: @Sendable (_ id: AlertID) async throws -> Submission<AlertRecord>
    /// Raises, with the time `raisedAt`, an alert that could not be sent at that time.
    public var raiseEarlier:
        @Sendable (_ id: AlertID, _ raisedAt: Date) async throws -> Submission<AlertRecord>
    /// Ends the user's own alert.
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
    /// Resumes the repeats in spite of a report.
    public var resume: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Loads one alert with its deliveries. Each has the responder, the time and the channel.
    public var alert: @Sendable (_ id: AlertID) async throws -> AlertRecord
    /// Loads the alerts of the user and of their dependents, newest first.
    public var history: @Sendable (_ before: String?) async throws -> ListPage<AlertRecord>
    /// The open and recent alerts that this device knows, including queued ones: the current list
    /// at once, and a new list after each change.
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
