import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Reminders that this device shows itself, even without a network. They follow the profile, so a
/// check-in on another device counts.
@Reducer
public struct ReminderFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// False before the profile is known. The reminders of an earlier run then stay.
        public var isProfileKnown = false
        /// The deadline; nil before the profile is known, before the first check-in, and under a
        /// schedule without deadlines.
        public var deadline: Date?
        public var settings: CheckInSettings = .standard
        /// The end of the pause; nil without one.
        public var pausedUntil: Date?
        /// True while a check-in of this device is queued. The deadline stays until the server has
        /// the check-in.
        public var isCheckInWaiting = false
        /// True while a change of the schedule is queued. The deadline is still the old one, and
        /// `settings` are the new ones.
        public var areSettingsWaiting = false
        /// The running journey; nil without one.
        public var journey: JourneyRecord?
        /// A queued press about the journey. Until the server has it, the journey stays as it is.
        public var waitingPress: JourneyFeature.Waiting?
        /// How far the server's clock was ahead of this device's clock; zero before the server's
        /// first answer.
        public var clockOffset: Duration = .zero

        /// Creates the state before the profile is known.
        public init() {}

        public init(
            deadline: Date? = nil, settings: CheckInSettings = .standard,
            pausedUntil: Date? = nil, isCheckInWaiting: Bool = false,
            journey: JourneyRecord? = nil, waitingPress: JourneyFeature.Waiting? = nil
        ) {
            isProfileKnown = true
            self.deadline = deadline
            self.settings = settings
            self.pausedUntil = pausedUntil
            self.isCheckInWaiting = isCheckInWaiting
            self.journey = journey
            self.waitingPress = waitingPress
        }

        public init(_ profile: UserProfile) {
            self.init()
            apply(profile)
        }

        fileprivate mutating func apply(_ profile: UserProfile) {
            isProfileKnown = true
            deadline = profile.nextCheckInTime
            settings = profile.settings
            pausedUntil = profile.pause?.until
            journey = profile.journey
        }

        /// Answers take time, so each one measures a slightly different offset. Ignores differences
        /// within the allowed clock skew.
        fileprivate mutating func note(clockOffset offset: Duration) {
            if !CheckInRules.isWithinSkew(offset - clockOffset) { clockOffset = offset }
        }

        /// Returns the reminders whose time is in the future.
        /// - Parameter now: the server's time.
        public func notifications(at now: Date, in zone: ClockZone?) -> [LocalNotification] {
            (checkInReminders(in: zone) + journeyReminders(in: zone)).filter { $0.fireDate > now }
        }

        /// None comes during a pause, or before a check-in would count for the deadline.
        private func checkInReminders(in zone: ClockZone?) -> [LocalNotification] {
            guard let deadline else { return [] }
            let opening = settings.opening(ofDeadline: deadline) ?? .distantPast
            let pauseEnd = pausedUntil ?? .distantPast
            let before = reminders.map { reminder in
                notification(
                    "reminder-\(reminder.lead.components.seconds)",
                    isCheckInWaiting
                        ? .checkInWaits(deadline: deadline)
                        : .reminder(reminder, deadline: deadline),
                    at: max(opening, deadline.adding(.zero - reminder.lead)), in: zone)
            }
            let last = notification(
                "deadline", .deadlinePassed(deadline: deadline), at: deadline, in: zone)
            return (before + [last]).filter { $0.fireDate >= pauseEnd }
        }

        /// The reminders of the present deadline. All of them while a change of the schedule is
        /// queued, because the device no longer knows which ones the old schedule had.
        private var reminders: [Reminder] {
            let isOfOldSchedule = areSettingsWaiting || settings.plan == .none
            return isOfOldSchedule ? Reminder.allCases : settings.reminders
        }

        /// None comes once the server has opened the alert.
        private func journeyReminders(in zone: ClockZone?) -> [LocalNotification] {
            guard let journey, journey.alertId == nil else { return [] }
            let steps: [(JourneyStep, String)] = [
                (.remindBefore, "journey-before"), (.remindAtReturn, "journey-return"),
            ]
            return steps.compactMap { step, id -> LocalNotification? in
                let text: NotificationText =
                    waitingPress.map {
                        NotificationText.journeyPressWaits(
                            isArrival: $0 == .arrival, deadline: journey.deadline)
                    }
                    ?? .journeyReminder(
                        step, journey: journey.name, expected: journey.expectedReturn,
                        deadline: journey.deadline, responders: nil)
                return JourneyRules.moment(
                    of: step, expectedReturn: journey.expectedReturn,
                    graceMinutes: journey.graceMinutes
                ).map { notification(id, text, at: $0, in: zone) }
            }
        }

        private func notification(
            _ id: String, _ text: NotificationText, at time: Date, in zone: ClockZone?
        ) -> LocalNotification {
            LocalNotification(
                id: id, title: text.title, body: text.body(in: zone, at: time), fireDate: time)
        }
    }

    public enum Action: Equatable, Sendable {
        case startStream
        /// The user has signed out.
        case stopStream
        case profileUpdated(UserProfile)
        case checkInWaitingChanged(Bool)
        case settingsWaitingChanged(Bool)
        case waitingPressChanged(JourneyFeature.Waiting?)
        /// The permission, the time zone or the device's clock may have changed.
        case refresh
    }

    @Dependency(\.date) private var date
    @Dependency(\.localNotificationClient) private var localNotificationClient
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.timeZone) private var timeZone
    @Dependency(\.userClient) private var userClient

    private enum CancelID { case profile, schedule }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            let before = state
            state.note(clockOffset: serverClock.offset())
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
                state.apply(profile)
                return state == before ? .none : schedule(state)
            case .checkInWaitingChanged(let isWaiting):
                state.isCheckInWaiting = isWaiting
                return state == before ? .none : schedule(state)
            case .settingsWaitingChanged(let areWaiting):
                state.areSettingsWaiting = areWaiting
                return state == before ? .none : schedule(state)
            case .waitingPressChanged(let press):
                state.waitingPress = press
                return state == before ? .none : schedule(state)
            case .refresh:
                return schedule(state)
            }
        }
    }

    private func schedule(_ state: State) -> Effect<Action> {
        guard state.isProfileKnown else { return .none }
        let notifications = state.notifications(
            at: serverClock.time(at: date.now), in: ClockZone(timeZone.identifier))
        return .run { [localNotificationClient] _ in
            // Ignores failures, because the server sends reminders by push as well.
            try? await localNotificationClient.schedule(notifications: notifications)
        }
        .cancellable(id: CancelID.schedule, cancelInFlight: true)
    }
}
