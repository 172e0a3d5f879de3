import ComposableArchitecture
import Domain
import Foundation

/// The state of the connection, and the queued actions.
@DependencyClient
public struct ConnectivityClient: Sendable {
    /// Yields the current state, and then each later state.
    public var status: @Sendable () -> AsyncStream<Connectivity> = { .finished }
    /// Queued actions that the server refused, for the app to show to the person.
    public var refusals: @Sendable () -> AsyncStream<RefusedAction> = { .finished }
    /// Sends or discards the alert that was queued when the session ended.
    public var answerUnsentAlert: @Sendable (_ isToBeSent: Bool) async -> Void
    /// Connects now instead of after the back-off.
    public var retryNow: @Sendable () async -> Void
}

public struct Connectivity: Equatable, Sendable {
    public var isOnline: Bool
    /// By the server's clock; nil before the first sync.
    public var lastSynced: Date?
    /// The queued actions, in the order of sending.
    public var waiting: [WaitingAction]
    /// Ids of the actions that the server has refused since this client started.
    public var refused: Set<UUID>
    /// Ids of the actions that the person has taken back since this client started.
    public var discarded: Set<UUID>
    /// The alert that the app asks the person about; nil if there is none.
    public var unsentAlert: UnsentAlert?

    public init(
        isOnline: Bool = true, lastSynced: Date? = nil, waiting: [WaitingAction] = [],
        refused: Set<UUID> = [], discarded: Set<UUID> = [], unsentAlert: UnsentAlert? = nil
    ) {
        self.isOnline = isOnline
        self.lastSynced = lastSynced
        self.waiting = waiting
        self.refused = refused
        self.discarded = discarded
        self.unsentAlert = unsentAlert
    }
}

/// An alert that was queued when another device ended the session. After the next sign-in, the app
/// asks whether to send the alert.
public struct UnsentAlert: Equatable, Sendable {
    /// How long the person has to answer.
    public static let timeToAnswer: Duration = .seconds(60)

    public var raisedAt: Date
    /// When the alert is sent if the person hasn't answered.
    public var sendsAt: Date

    public init(raisedAt: Date, sendsAt: Date) {
        self.raisedAt = raisedAt
        self.sendsAt = sendsAt
    }
}

extension Connectivity {
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
    /// Returns once the queue holds no action of this kind.
    public func untilSent(_ kind: WaitingAction.Kind) async {
        for await status in status() where !status.waiting.contains(where: { $0.kind == kind }) {
            return
        }
    }
}
