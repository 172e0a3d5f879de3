import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The check-in ("I am fine") with one tap, the time left, the interval, the reminders and the
/// history.
@Reducer
public struct CheckInFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil before the first check-in.
        public var lastCheckInTime: Date?
        /// The deadline; nil until the first check-in.
        public var nextCheckInTime: Date?
        public var settings: CheckInSettings
        /// The first deadline after the last change of schedule or pause; nil if there was none.
        var start: FirstDeadline?
        /// The last pause, after its end and until a newer check-in.
        var endedPause: CheckInPause?
        public var pause = PauseFeature.State()
        /// The time zone of this device, if the person is asked whether to use it for the schedule.
        public var newTimeZone: String?
        /// Newest first.
        public var checkInHistory: [CheckInRecord]
        /// True while a check-in is in flight. A second tap then does nothing.
        public var isCheckingIn: Bool
        /// The check-in that the server has just confirmed; shown for some seconds. One before its
        /// window is shown until the opening, because it moves no deadline.
        public var confirmation: CheckInRecord?
        /// The time of a check-in that waits to be sent. Responders don't know of this check-in.
        public var waitingCheckInTime: Date?
        /// The time of the last sync; nil while the server is reachable.
        public var knownUntil: Date?
        /// True while the server lacks the new interval or reminders.
        public var areSettingsWaiting: Bool
        public var isSavingSettings: Bool
        /// True after the server has accepted a new schedule, until the person dismisses this.
        public var isScheduleSaved = false
        public var isLoadingHistory: Bool
        /// A cursor; nil at the end of the history.
        public var nextHistoryPage: String?
        /// nil while the sheet is closed.
        public var scheduleSheet: ScheduleFeature.State?
        public var error: UserFacingError?
        /// The current time, for the time left and the status; nil before the screen appears.
        public var now: Date?
        /// The number of views that show the screen. SwiftUI may report a new view before it
        /// reports that the old view has gone.
        var timesShown = 0
        /// True once the screen has disappeared. Later answers start no timer.
        var hasLeft = false

        public init(
            lastCheckInTime: Date? = nil, nextCheckInTime: Date? = nil,
            settings: CheckInSettings = .standard,
            checkInHistory: [CheckInRecord] = [],
            isCheckingIn: Bool = false, confirmation: CheckInRecord? = nil,
            waitingCheckInTime: Date? = nil, areSettingsWaiting: Bool = false,
            isSavingSettings: Bool = false, isLoadingHistory: Bool = false,
            nextHistoryPage: String? = nil,
            scheduleSheet: ScheduleFeature.State? = nil, error: UserFacingError? = nil
        ) {
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
            self.settings = settings
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
        /// The browser has sent a check-in of the person, and the server has received it.
        case checkInDelivered(CheckInRecord)
        case confirmationDismissed
        case profileUpdated(UserProfile)
        case connectivityChanged(Connectivity)
        /// Another part of Home has queued an action.
        case actionQueued
        /// A minute has passed, or the status has changed.
        case momentPassed
        case scheduleButtonTapped
        case schedule(ScheduleFeature.Action)
        case pause(PauseFeature.Action)
        case timeZoneDiffers(String)
        case timeZoneAnswered(usesNew: Bool)
        case sheetDismissed
        case scheduleSavedDismissed
        case settingsResponse(Result<Submission<UserProfile>, UserFacingError>, CheckInSettings)
        case loadHistory
        case loadMoreHistory
        case historyResponse(Result<HistoryPage<CheckInRecord>, UserFacingError>)
        case dismissError
    }

    @Dependency(\.checkInClient) private var checkInClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.hapticClient) private var hapticClient
    @Dependency(\.uuid) private var uuid

    private let following = CheckInFollowing()
    private let schedule = OwnSchedule()
    private let pages = CheckInPages()

    enum CancelID { case profile, connectivity, history, moment, confirmation }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.pause, action: \.pause) { PauseFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.timesShown += 1
                state.hasLeft = false
                if state.confirmation?.hasOpened(by: serverNow) == true { state.confirmation = nil }
                return .merge(
                    following.observeProfile(), following.observeConnectivity(),
                    pages.load(&state), following.nextMoment(&state),
                    state.confirmation.map(hideConfirmation) ?? .none)

            case .onDisappear:
                state.timesShown = max(0, state.timesShown - 1)
                guard state.timesShown == 0 else { return .none }
                state.hasLeft = true
                state.isLoadingHistory = false
                if state.confirmation?.earlyTimes == nil { state.confirmation = nil }
                return .merge(
                    [CancelID.profile, .connectivity, .history, .moment, .confirmation].map {
                        .cancel(id: $0)
                    })

            case .appBecameActive, .momentPassed:
                return following.nextMoment(&state)

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

            case .checkInDelivered(let checkIn):
                return delivered(checkIn, &state)

            case .confirmationDismissed:
                state.confirmation = nil
                return .cancel(id: CancelID.confirmation)

            case .profileUpdated(let profile):
                state.apply(profile)
                return .merge(following.nextMoment(&state), schedule.compareTimeZones(&state))

            case .connectivityChanged(let connectivity):
                state.knownUntil = connectivity.isOnline ? nil : connectivity.lastSynced
                state.waitingCheckInTime =
                    connectivity.waiting.last { $0.kind == .checkIn }?.createdAt
                state.areSettingsWaiting = connectivity.waiting.contains {
                    $0.kind == .updateSettings
                }
                state.pause.apply(connectivity)
                return .none

            case .scheduleButtonTapped, .schedule(.delegate(.save)), .settingsResponse,
                .sheetDismissed, .scheduleSavedDismissed, .timeZoneDiffers, .timeZoneAnswered:
                return schedule.reduce(into: &state, action: action)

            case .pause(.response(.success(.confirmed(let profile)), _)):
                state.apply(profile)
                return following.nextMoment(&state)

            case .pause(.response(.success(.waiting), _)), .actionQueued:
                return state.hasLeft ? .none : following.observeConnectivity()

            case .schedule, .pause:
                return .none

            case .loadHistory, .loadMoreHistory, .historyResponse:
                return pages.reduce(into: &state, action: action)

            case .dismissError:
                state.error = nil
                return .none
            }
        }
        .ifLet(\.scheduleSheet, action: \.schedule) { ScheduleFeature() }
    }
}

extension CheckInFeature {
    private static let confirmationTime: Duration = .seconds(4)
    private var serverNow: Date { following.serverNow }

    /// Checks in. The request continues when the screen disappears.
    private func checkIn(_ state: inout State) -> Effect<Action> {
        guard state.canCheckIn else { return .none }
        state.isCheckingIn = true
        state.confirmation = nil
        state.error = nil
        let id = CheckInID(uuid())
        let now = date.now
        return .merge(
            .cancel(id: CancelID.confirmation),
            .run { [checkInClient] send in
                await send(
                    .checkInResponse(
                        .userFacing { try await checkInClient.checkIn(id: id, occurredAt: now) }))
            }
        )
    }

    /// Handles the answer. After a queued check-in, the old deadline still counts for responders.
    private func checkedIn(_ submission: Submission<CheckInRecord>, _ state: inout State) -> Effect<
        Action
    > {
        guard state.isCheckingIn else { return .none }
        state.isCheckingIn = false
        switch submission {
        case .confirmed(let checkIn):
            let isUnmoved = state.lastCheckInTime.map { checkIn.occurredAt < $0 } ?? false
            state.apply(checkIn)
            state.waitingCheckInTime = nil
            guard !isUnmoved || !checkIn.isFromSlowClock else {
                state.error = .checkInWithWrongClock
                return following.nextMoment(&state)
            }
            return confirm(checkIn, &state)
        case .waiting:
            state.waitingCheckInTime = serverNow
            return state.hasLeft ? .none : following.observeConnectivity()
        }
    }

    /// Shows a check-in that the browser has sent, perhaps for the second time. Confirms it only if
    /// it is the newest, and its deadline counts.
    private func delivered(_ checkIn: CheckInRecord, _ state: inout State) -> Effect<Action> {
        state.apply(checkIn)
        let isNewest = checkIn.occurredAt == state.lastCheckInTime
        let counts = isNewest && checkIn.nextCheckInTime == state.nextCheckInTime
        return counts ? confirm(checkIn, &state) : .none
    }

    private func confirm(_ checkIn: CheckInRecord, _ state: inout State) -> Effect<Action> {
        guard !state.hasLeft else { return .none }
        state.confirmation = checkIn
        return .merge(
            following.nextMoment(&state), hideConfirmation(of: checkIn),
            .run { [hapticClient] _ in await hapticClient.play(haptic: .success) })
    }

    private func hideConfirmation(of checkIn: CheckInRecord) -> Effect<Action> {
        let opening = checkIn.earlyTimes?.opening.since(serverNow)
        return .run { [clock] send in
            try await clock.sleep(for: max(Self.confirmationTime, opening ?? .zero))
            await send(.confirmationDismissed)
        }
        .cancellable(id: CancelID.confirmation, cancelInFlight: true)
    }
}

extension CheckInFeature.State {
    public var isOverdue: Bool {
        guard let nextCheckInTime, let now else { return false }
        return CheckInRules.isMissed(deadline: nextCheckInTime, at: now)
    }

    public var isPaused: Bool {
        guard let pause = pause.pause else { return false }
        return now.map { $0 < pause.until } ?? true
    }

    public var status: CheckInStatus {
        CheckInStatus(deadline: nextCheckInTime, at: now ?? .distantPast)
    }

    public var canCheckIn: Bool { !isCheckingIn }

    public var isWaitingToBeSent: Bool { waitingCheckInTime != nil }

    /// The status that replaces a good one until the check-in has been sent.
    public static let unsentWords = "Check-in not sent yet"

    /// The schedule that the server knows.
    var present: CheckInSchedule {
        CheckInSchedule(
            settings: settings, lastCheckIn: lastCheckInTime, start: start,
            pause: pause.pause ?? endedPause)
    }

    public var canSaveSchedule: Bool { !isSavingSettings && scheduleSheet?.canSave == true }

    mutating func apply(_ profile: UserProfile) {
        lastCheckInTime = profile.lastCheckInTime
        nextCheckInTime = profile.nextCheckInTime
        settings = profile.settings
        start = profile.start
        endedPause = profile.endedPause
        pause.apply(profile)
        if let early = confirmation?.earlyTimes, early.deadline != nextCheckInTime {
            confirmation = nil
        }
    }

    /// Applies a check-in. Only one that is newer than the last one moves the deadline: a repeated
    /// check-in has the deadline from before a later change of the schedule.
    fileprivate mutating func apply(_ checkIn: CheckInRecord) {
        keepInHistory(checkIn)
        if let lastCheckInTime, checkIn.occurredAt <= lastCheckInTime { return }
        lastCheckInTime = checkIn.occurredAt
        nextCheckInTime = checkIn.nextCheckInTime
    }

    mutating func keepInHistory(_ checkIn: CheckInRecord) {
        guard !checkInHistory.contains(where: { $0.id == checkIn.id }) else { return }
        checkInHistory.insert(checkIn, newestFirst: \.occurredAt)
    }

    public var isSheetOpen: Bool { scheduleSheet != nil }
    public var tone: Tone { Tone(status) }

    /// Returns the text of the current status.
    /// - Parameters:
    ///   - isProtected: true if every responder would hear of a missed check-in. "All is well"
    ///     requires it.
    ///   - hasMissed: true if an alert about a missed check-in is open, even before the deadline.
    public func statusWords(isProtected: Bool, hasMissed: Bool = false) -> String {
        if isOverdue || hasMissed { return "You’re overdue: check in now" }
        if isPaused { return "Paused" }
        guard nextCheckInTime != nil else {
            return lastCheckInTime == nil ? "Not started" : "No deadlines"
        }
        return switch status {
        case .normal where isWaitingToBeSent: Self.unsentWords
        case .normal: isProtected ? "All is well" : "Checked in"
        case .warning: "Check in soon"
        case .critical: "Check in now"
        }
    }

    public func statusTone(hasMissed: Bool) -> Tone {
        if hasMissed { return .critical }
        if isPaused { return .warning }
        return status == .normal && isWaitingToBeSent ? .warning : tone
    }

    /// True if an offline page has to say how old the status is ("as of 14:05"). "Overdue" doesn't
    /// need that, because a deadline passes offline as well.
    public func isStatusDated(hasMissed: Bool) -> Bool {
        nextCheckInTime != nil && !isOverdue && !hasMissed
    }

    /// The time of the shown status; nil while the server is reachable.
    public func statusAge(hasMissed: Bool) -> Date? {
        isStatusDated(hasMissed: hasMissed) ? knownUntil : nil
    }

    /// The statuses that follow without a check-in, with their starts. An offline page shows them.
    public func laterStatuses(isProtected: Bool) -> [LaterStatus] {
        guard let nextCheckInTime, let now, !isOverdue else { return [] }
        let leads = [Reminder.twoHours.lead, Reminder.thirtyMinutes.lead, .zero]
        let changes = leads.map { nextCheckInTime.adding(.zero - $0) }
        let times = ([pause.pause?.until].compactMap(\.self) + changes).sorted()
        return times.filter { $0 > now }.map { time in
            var later = self
            later.now = time
            return LaterStatus(
                begins: time, words: later.statusWords(isProtected: isProtected),
                tone: later.statusTone(hasMissed: false))
        }
    }

    public struct LaterStatus: Equatable, Sendable {
        public var begins: Date
        public var words: String
        public var tone: Tone
    }

    public var waitingWords: String? {
        if isWaitingToBeSent {
            return
                """
                Your check-in will be sent as soon as LifeSignal can be reached. Until then your \
                responders don’t know about it, and your deadline stays.
                """
        }
        guard areSettingsWaiting else { return nil }
        return """
            Your new schedule will be sent as soon as LifeSignal can be reached. Until then your \
            deadline stays.
            """
    }

    /// "Every 24 hours · reminders 2 h and 30 min before", "No deadlines".
    public var scheduleWords: String {
        let leads = settings.reminders.map(\.lead.shortWords)
        let reminders =
            leads.isEmpty ? "no reminders" : "reminders \(leads.joined(separator: " and ")) before"
        return settings.plan == .none ? settings.planWords : "\(settings.planWords) · \(reminders)"
    }

    /// The title of the button.
    /// - Parameter hasMissed: true after a missed deadline. The title then says what a press does.
    public func buttonWords(hasMissed: Bool) -> String {
        if isCheckingIn { return "Checking in …" }
        return hasMissed ? "Press to tell everyone you’re OK" : "Check in"
    }

    /// "You seem to be in Lisbon. Use Lisbon time for your check-ins?"
    public var timeZoneQuestion: String? {
        let subject = settings.plan.sleep == nil ? "check-ins" : "sleep hours"
        return newTimeZone.map { ClockZone.placeWords($0) }.map {
            "You seem to be in \($0). Use \($0) time for your \(subject)?"
        }
    }

    /// The answers to the question: the new zone and the present one.
    public var timeZoneAnswers: (new: String, present: String) {
        (
            "Use \(newTimeZone.map { ClockZone.placeWords($0) } ?? "") time",
            "Keep \(settings.plan.timeZone.map { ClockZone.placeWords($0) } ?? "") time"
        )
    }

    public var emptyHistoryWords: String { isLoadingHistory ? "Loading …" : "None yet." }
    public var saveWords: String { isSavingSettings ? "Saving …" : "Save" }
}
