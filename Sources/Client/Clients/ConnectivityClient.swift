import ComposableArchitecture
import Domain
import Foundation

/// The state of the connection and the queued actions.
@DependencyClient
public struct ConnectivityClient: Sendable {
    /// The state at once, and again after each change.
    public var status: @Sendable () -> AsyncStream<Connectivity> = { .finished }
    /// Queued actions that the server refused. They are shown to the person, never dropped in
    /// silence.
    public var refusals: @Sendable () -> AsyncStream<Refusal> = { .finished }
    /// Sends or gives up the alert that was not sent before the session ended.
    public var answerUnsentAlert: @Sendable (_ isToBeSent: Bool) async -> Void
    /// Connects now instead of after the back-off.
    public var retryNow: @Sendable () async -> Void
}

public struct Connectivity: Equatable, Sendable {
    public var isOnline: Bool
    /// The time when what this device shows was last in step with the server; nil before the first
    /// time.
    public var lastSynced: Date?
    /// The queued actions, in the order of sending.
    public var waiting: [WaitingAction]
    /// Actions that the server has refused since this client began: they left the queue unsent.
    public var refused: Set<UUID>
    /// The alert that the person is asked about; nil when there is nothing to ask.
    public var unsentAlert: UnsentAlert?

    public init(
        isOnline: Bool = true, lastSynced: Date? = nil, waiting: [WaitingAction] = [],
        refused: Set<UUID> = [], unsentAlert: UnsentAlert? = nil
    ) {
        self.isOnline = isOnline
        self.lastSynced = lastSynced
        self.waiting = waiting
        self.refused = refused
        self.unsentAlert = unsentAlert
    }
}

/// An alert that waited when the session was ended elsewhere. Since the next sign-in the person is
/// asked whether to send it.
public struct UnsentAlert: Equatable, Sendable {
    /// How long the person is asked.
    public static let timeToAnswer: Duration = .seconds(60)

    public var raisedAt: Date
    /// The time when it is sent without an answer.
    public var sendsAt: Date

    public init(raisedAt: Date, sendsAt: Date) {
        self.raisedAt = raisedAt
        self.sendsAt = sendsAt
    }
}

extension Connectivity {
    /// True if an action of this kind about this contact is queued.
    public func isWaiting(_ kind: WaitingAction.Kind, about contact: UserID) -> Bool {
        waiting.contains { $0.kind == kind && $0.contact == contact }
    }
}

extension ConnectivityClient: TestDependencyKey {
    public static let testValue = ConnectivityClient()
}

extension DependencyValues {
    public var connectivityClient: ConnectivityClient {
        get { self[ConnectivityClient.self] }
        set { self[ConnectivityClient.self] = newValue }
    }
}

extension ConnectivityClient {
    /// Waits until nothing of a kind waits to be sent any more. Whether it came through or was
    /// refused, the server knows now.
    public func untilSent(_ kind: WaitingAction.Kind) async {
        for await status in status() where !status.waiting.contains(where: { $0.kind == kind }) {
            return
        }
    }
}
