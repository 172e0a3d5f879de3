import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The reminders that this device shows by itself: they come without a network, and also when the
/// server can't be reached. It follows the profile, so that a check-in on another device counts.
@Reducer
public struct ReminderFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil before the profile is known, and without a deadline.
        public var deadline: Date?
        public var settings: CheckInSettings
        /// A check-in of this device has not reached the server: the deadline stays.
        public var isCheckInWaiting: Bool

        public init(
            deadline: Date? = nil, settings: CheckInSettings = .standard,
            isCheckInWaiting: Bool = false
        ) {
            self.deadline = deadline
            self.settings = settings
            self.isCheckInWaiting = isCheckInWaiting
        }

        /// The messages that are still to come.
        public func notifications(at now: Date, in zone: ClockZone?) -> [LocalNotification] {
            guard let deadline else { return [] }
            let reminders = settings.reminders.map { reminder in
                notification(
                    "reminder-\(reminder.lead.components.seconds)",
                    isCheckInWaiting
                        ? .checkInWaits(deadline: deadline)
                        : .reminder(reminder, deadline: deadline),
                    at: deadline.adding(.zero - reminder.lead), in: zone)
            }
            let last = notification(
                "deadline", .deadlinePassed(deadline: deadline), at: deadline, in: zone)
            return (reminders + [last]).filter { $0.fireDate > now }
        }

        private func notification(
            _ id: String, _ text: NotificationText, at time: Date, in zone: ClockZone?
        ) -> LocalNotification {
            LocalNotification(
                id: id, title: text.title, body: text.body(in: zone), fireDate: time)
        }
    }

    public enum Action: Equatable, Sendable {
        case startStream
        /// Nobody is signed in any more.
        case stopStream
        case profileUpdated(UserProfile)
        case checkInWaitingChanged(Bool)
        /// The permission or the time zone may be another.
        case refresh
    }

    @Dependency(\.date) var date
    @Dependency(\.localNotificationClient) var localNotificationClient
    @Dependency(\.timeZone) var timeZone
    @Dependency(\.userClient) var userClient

    private enum CancelID { case profile, schedule }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            let before = state
            switch action {
            case .startStream:
                return .run { [userClient] send in
                    for await profile in userClient.profileStream() {
                        await send(.profileUpdated(profile))
                    }
                }
                .cancellable(id: CancelID.profile, cancelInFlight: true)
            case .stopStream:
                state = State()
                return .merge(
                    .cancel(id: CancelID.profile),
                    .run { [localNotificationClient] _ in
                        await localNotificationClient.cancelAll()
                    }
                    .cancellable(id: CancelID.schedule, cancelInFlight: true))
            case .profileUpdated(let profile):
                state.deadline = profile.nextCheckInTime
                state.settings = profile.settings
                return state == before ? .none : schedule(state)
            case .checkInWaitingChanged(let isWaiting):
                state.isCheckInWaiting = isWaiting
                return state == before ? .none : schedule(state)
            case .refresh:
                return schedule(state)
            }
        }
    }

    private func schedule(_ state: State) -> Effect<Action> {
        let notifications = state.notifications(
            at: date.now, in: ClockZone(timeZone.identifier))
        return .run { [localNotificationClient] _ in
            // The server's reminders come by push as well; there is nobody to tell that the system
            // has taken none.
            try? await localNotificationClient.schedule(notifications: notifications)
        }
        .cancellable(id: CancelID.schedule, cancelInFlight: true)
    }
}
