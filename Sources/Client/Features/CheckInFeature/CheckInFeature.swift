import Clients
import ComposableArchitecture
import Domain
import Foundation

/// "I am fine", with one tap; how long until the next one; interval, reminders, and the history.
@Reducer
public struct CheckInFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil before the first check-in.
        public var lastCheckInTime: Date?
        /// The deadline; nil until the first check-in.
        public var nextCheckInTime: Date?
        /// The time from a check-in to its deadline.
        public var checkInInterval: Duration
        /// Reminds two hours before the deadline.
        public var remindTwoHoursBefore: Bool
        /// Reminds 30 minutes before the deadline.
        public var remindThirtyMinutesBefore: Bool
        /// Newest first.
        public var checkInHistory: [CheckInRecord]
        /// A check-in is on its way; a second tap does nothing.
        public var isCheckingIn: Bool
        /// The check-in that was just confirmed by the server; shown for some seconds.
        public var confirmation: CheckInRecord?
        /// The time of a check-in that has not reached the server; responders don't know of it. It
        /// will be sent.
        public var waitingCheckInTime: Date?
        /// Interval or reminders have not reached the server.
        public var areSettingsWaiting: Bool
        /// Interval or reminders are on their way.
        public var isSavingSettings: Bool
        /// The server has taken a new interval or new reminders; shown until it is dismissed.
        public var isScheduleSaved = false
        /// A page of the history is on its way.
        public var isLoadingHistory: Bool
        /// The cursor of the history's next page; nil at its end.
        public var nextHistoryPage: String?
        /// Choices in the sheet of interval and reminders; nil while it is closed.
        public var scheduleSheet: ScheduleSheet?
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The time that the time left and the status count from; nil before the screen appears.
        public var now: Date?
        /// The screen has gone: what still arrives starts no timer.
        var hasLeft = false

        public init(
            lastCheckInTime: Date? = nil, nextCheckInTime: Date? = nil,
            checkInInterval: Duration = CheckInSettings.standard.interval,
            remindTwoHoursBefore: Bool = true, remindThirtyMinutesBefore: Bool = true,
            checkInHistory: [CheckInRecord] = [],
            isCheckingIn: Bool = false, confirmation: CheckInRecord? = nil,
            waitingCheckInTime: Date? = nil, areSettingsWaiting: Bool = false,
            isSavingSettings: Bool = false, isLoadingHistory: Bool = false,
            nextHistoryPage: String? = nil,
            scheduleSheet: ScheduleSheet? = nil, error: UserFacingError? = nil
        ) {
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
            self.checkInInterval = checkInInterval
            self.remindTwoHoursBefore = remindTwoHoursBefore
            self.remindThirtyMinutesBefore = remindThirtyMinutesBefore
            self.checkInHistory = checkInHistory
            self.isCheckingIn = isCheckingIn
            self.confirmation = confirmation
            self.waitingCheckInTime = waitingCheckInTime
            self.areSettingsWaiting = areSettingsWaiting
            self.isSavingSettings = isSavingSettings
            self.isLoadingHistory = isLoadingHistory
            self.nextHistoryPage = nextHistoryPage
            self.scheduleSheet = scheduleSheet
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case appBecameActive
        case appBecameInactive
        case checkInButtonTapped
        case checkInResponse(Result<Submission<CheckInRecord>, UserFacingError>)
        case confirmationDismissed
        case profileUpdated(UserProfile)
        case connectivityChanged(Connectivity)
        /// A minute, a change of status, or the deadline has passed.
        case momentPassed
        case scheduleButtonTapped
        case intervalPresetTapped(Duration)
        /// Whole hours, as a person sets them; what is not accepted can't be saved.
        case customIntervalChanged(hours: Int)
        case twoHoursReminderToggled
        case thirtyMinutesReminderToggled
        case saveScheduleButtonTapped
        case sheetDismissed
        case scheduleSavedDismissed
        case settingsResponse(Result<Submission<UserProfile>, UserFacingError>, CheckInSettings)
        case loadHistory
        case loadMoreHistory
        case historyResponse(Result<HistoryPage, UserFacingError>)
        case dismissError
    }

    @Dependency(\.checkInClient) var checkInClient
    @Dependency(\.connectivityClient) var connectivityClient
    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date
    @Dependency(\.hapticClient) var hapticClient
    @Dependency(\.userClient) var userClient
    @Dependency(\.uuid) var uuid

    enum CancelID { case profile, connectivity, history, moment, confirmation }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.hasLeft = false
                return .merge(
                    observeProfile(), observeConnectivity(), loadHistory(&state), nextMoment(&state)
                )

            case .onDisappear:
                state.hasLeft = true
                state.isLoadingHistory = false
                state.confirmation = nil
                return .merge(
                    [CancelID.profile, .connectivity, .history, .moment, .confirmation].map {
                        .cancel(id: $0)
                    })

            case .appBecameActive, .momentPassed:
                return nextMoment(&state)

            case .appBecameInactive:
                return .cancel(id: CancelID.moment)

            case .checkInButtonTapped:
                return checkIn(&state)

            case .checkInResponse(.success(let submission)):
                return checkedIn(submission, &state)

            case .checkInResponse(.failure(let error)):
                state.isCheckingIn = false
                state.error = error
                return .none

            case .confirmationDismissed:
                state.confirmation = nil
                return .cancel(id: CancelID.confirmation)

            case .profileUpdated(let profile):
                state.apply(profile)
                return nextMoment(&state)

            case .connectivityChanged(let connectivity):
                state.waitingCheckInTime =
                    connectivity.waiting.last { $0.kind == .checkIn }?.createdAt
                state.areSettingsWaiting = connectivity.waiting.contains {
                    $0.kind == .updateSettings
                }
                return .none

            case .scheduleButtonTapped:
                guard !state.isSavingSettings else { return .none }
                state.error = nil
                state.isScheduleSaved = false
                state.scheduleSheet = ScheduleSheet(state.settings)
                return .none

            case .intervalPresetTapped(let interval):
                state.scheduleSheet?.interval = interval
                state.scheduleSheet?.typedHours = nil
                return .none

            case .customIntervalChanged(let hours):
                state.scheduleSheet?.interval = CheckInSettings.interval(typedHours: hours)
                state.scheduleSheet?.typedHours = hours
                return .none

            case .twoHoursReminderToggled:
                state.scheduleSheet?.twoHoursBefore.toggle()
                return .none

            case .thirtyMinutesReminderToggled:
                state.scheduleSheet?.thirtyMinutesBefore.toggle()
                return .none

            case .saveScheduleButtonTapped:
                guard let sheet = state.scheduleSheet else { return .none }
                return save(sheet.settings, &state)

            case .sheetDismissed:
                state.scheduleSheet = nil
                return .none

            case .scheduleSavedDismissed:
                state.isScheduleSaved = false
                return .none

            case .settingsResponse(let result, let settings):
                return settingsSaved(result, settings, &state)

            case .loadHistory:
                return loadHistory(&state)

            case .loadMoreHistory:
                guard let next = state.nextHistoryPage else { return .none }
                return loadHistory(before: next, &state)

            case .historyResponse(.success(let page)):
                state.isLoadingHistory = false
                if page.isFirst { state.checkInHistory = [] }
                state.nextHistoryPage = page.next
                page.checkIns.forEach { state.keepInHistory($0) }
                return .none

            case .historyResponse(.failure(let error)):
                state.isLoadingHistory = false
                state.error = error
                return .none

            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }
}
