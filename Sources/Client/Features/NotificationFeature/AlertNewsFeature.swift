import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Follows open alerts, and announces their ends as good news.
@Reducer
public struct AlertNewsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The user, whose own alerts are not announced.
        public var ownID: UserID
        /// All open alerts; nil until they are known.
        public var open: Set<AlertID>?
        /// The acknowledgement of each person's most urgent open alert.
        public var acknowledgements: [UserID: AlertRecord.Acknowledgement]
        /// The report that pauses the repeats of each person's most urgent open alert.
        public var reports: [UserID: PausingReport] = [:]
        /// The people whose most urgent open alert is about a journey, with the alert.
        public var journeys: [UserID: AlertRecord] = [:]
        public var ends: [AlertID: Date]
        /// The ends of other people's alerts that this device knew as open, newest first.
        public var news: IdentifiedArrayOf<End>

        public init(
            ownID: UserID, open: Set<AlertID>? = nil,
            acknowledgements: [UserID: AlertRecord.Acknowledgement] = [:],
            ends: [AlertID: Date] = [:], news: IdentifiedArrayOf<End> = []
        ) {
            self.ownID = ownID
            self.open = open
            self.acknowledgements = acknowledgements
            self.ends = ends
            self.news = news
        }

        public func standing(of item: NotificationItem) -> Standing {
            guard item.type == .alert, let alert = item.alertID, let open, !open.contains(alert)
            else { return .current }
            return ends[alert].map { item.createdAt >= $0 } == true ? .end : .past
        }
    }

    /// A report on an alert. `end` is when the pause ends.
    public struct PausingReport: Equatable, Sendable {
        public var alertID: AlertID
        public var action: AlertAction
        public var end: Date
    }

    /// The current state of a notification's alert.
    public enum Standing: Equatable, Sendable {
        /// The alert is open, or its state is unknown.
        case current
        /// The alert has ended.
        case past
        /// The notification announces the end.
        case end
    }

    public struct End: Equatable, Sendable, Identifiable {
        public var id: AlertID
        public var user: UserID
        public var kind: AlertKind
        public var time: Date

        public init(id: AlertID, user: UserID, kind: AlertKind, time: Date) {
            self.id = id
            self.user = user
            self.kind = kind
            self.time = time
        }

        /// The words between the text of the end and its time. A check-in, an arrival or a later
        /// return can be much older than the alert's end, because it may arrive late.
        public var timeTitle: String { kind == .manual ? " · " : " · alert ended " }
    }

    public enum Action: Equatable, Sendable {
        case startStream
        case stopStream
        case alertsUpdated([AlertRecord])
        case dismissButtonTapped(AlertID)
    }

    @Dependency(\.alertClient) private var alertClient

    private enum CancelID { case stream }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .startStream:
                return .run { send in
                    for await alerts in alertClient.alertsStream() {
                        await send(.alertsUpdated(alerts))
                    }
                }
                .cancellable(id: CancelID.stream, cancelInFlight: true)
            case .stopStream:
                return .cancel(id: CancelID.stream)
            case .alertsUpdated(let alerts):
                state.apply(alerts)
                return .none
            case .dismissButtonTapped(let id):
                state.news.remove(id: id)
                return .none
            }
        }
    }
}

extension AlertNewsFeature.State {
    fileprivate mutating func apply(_ alerts: [AlertRecord]) {
        let wereOpen = open ?? []
        let running = alerts.filter(\.isActive)
        open = Set(running.compactMap { AlertID($0.id) })
        let troubled = Set(running.compactMap { UserID($0.userId) })
        (acknowledgements, reports, journeys) = ([:], [:], [:])
        for user in troubled {
            let alert = AlertRules.mostUrgent(of: user, among: running)
            acknowledgements[user] = alert?.acknowledgement
            if alert?.kind == .journey, user != ownID { journeys[user] = alert }
            guard let alert, let id = AlertID(alert.id), let report = alert.report,
                let end = alert.pausedUntil
            else { continue }
            reports[user] = .init(alertID: id, action: report, end: end)
        }
        ends = [:]
        for alert in alerts {
            guard let id = AlertID(alert.id), let time = alert.endTime else { continue }
            ends[id] = time
            guard wereOpen.contains(id), let user = UserID(alert.userId), user != ownID else {
                continue
            }
            news.insert(.init(id: id, user: user, kind: alert.kind, time: time), at: 0)
        }
        // A person with another open alert must not appear under an "ended" notice.
        news.removeAll { troubled.contains($0.user) }
    }
}
