import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The user's own call for help: four taps raise it, a hold of three seconds ends it.
@Reducer
public struct AlertFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var isAlertActive: Bool
        /// The progress of the taps, 0 to 1. Each tap adds a quarter.
        public var activationProgress: Double
        public var deactivationProgress: Double
        /// By the server's clock.
        public var alertStartTime: Date?
        /// When the person ended the alert. Set as soon as the request starts, so that the shown
        /// duration stops.
        public var alertEndTime: Date?
        /// Newest first.
        public var alertHistory: [AlertRecord]
        public var isActivatingAlert: Bool
        public var isDeactivatingAlert: Bool
        public var isLoadingHistory: Bool
        public var error: String?

        /// The alert that is open, is being raised, or is being ended.
        public var alertID: AlertID?
        /// True while the server does not have the alert.
        public var isSendingStart = false
        /// True while the server does not know of the end, and responders still see the alert as
        /// open.
        public var isSendingEnd = false
        /// The alert whose end is queued. A list that shows this alert as open is outdated.
        public var endingAlertID: AlertID?
        /// Consecutive refusals of the alert. The client retries until the server accepts it.
        public var failedActivations = 0
        /// The alert that the server has opened because of a missed deadline. Only a check-in ends
        /// it.
        public var missedCheckIn: AlertRecord?
        /// The alert that the server has opened because the person isn't back from a journey. Only
        /// the arrival or a later return ends it.
        public var overdueJourney: AlertRecord?
        /// nil before the contacts are known.
        public var hasResponders: Bool?
        public var responderNames: [String] = []
        /// False if no message reaches a responder who has accepted. True before the contacts are
        /// known.
        public var areRespondersReachable = true
        /// The ids of the contacts' `stopped` responders.
        public var stoppedResponders: Set<String> = []
        /// Says that the alert has ended and who was told. Disappears after a while.
        public var endedWords: String?
        /// The end of an alert by another device, until the person has read about that end here.
        public var endElsewhere: EndElsewhere?
        /// The alert whose repeats the user is resuming in spite of a report; nil once the server
        /// has answered.
        public var resumingAlert: AlertRecord.ID?
        /// A cursor; nil at the end of the history.
        public var nextHistoryPage: String?
        public var isLoadingMore = false
        /// The current time, for the duration. Updated every second while the alert is shown.
        public var now: Date?
        public var trigger = AlertTrigger.fourPresses
        /// The number of views that show the screen. SwiftUI may report a new view before it
        /// reports that the old view has gone.
        var timesShown = 0
        var isAppActive = true
        /// The alert whose deliveries are loaded repeatedly; nil while the screen is hidden.
        var followedAlert: AlertRecord.ID?
        /// True if the person has confirmed the end in a question. The alert then ends even if the
        /// button disappears.
        var isEndConfirmed = false
        var ownSession: SessionID?
        /// The time of the newest end by another device that the person has read about here.
        var readEnd: Date?
        /// True while the stream of alerts is not followed, for example after sign-out.
        var hasStopped = false

        @Presents public var confirmationAlert: AlertState<Action>?
    }

    @CasePathable
    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// Follows the user's own alerts, even while another screen is shown.
        case startStream
        case stopStream
        /// The trigger was loaded or chosen. This resets the count of taps.
        case triggerChanged(AlertTrigger)
        /// Counts a tap. The fourth tap raises the alert. The count is reset after the trigger's
        /// timeout. With the trigger of a single press, the tap opens a question.
        case alertButtonTapped
        case alertActivationConfirmed
        case setActivationProgress(Double)
        case alertActivationResponse(Result<Submission<AlertRecord>, UserFacingError>)
        /// The person has only tapped the button that should be held. Opens a question, for people
        /// who can't hold a button.
        case alertDeactivationButtonTapped
        case holdBegan
        /// The finger has left the button. Within the three seconds this ends the hold without
        /// effect.
        case holdEnded
        /// The progress of the hold, 0 to 1; 1 is three seconds, and 0 an early release.
        case alertDeactivationProgressChanged(Double)
        case alertDeactivationResponse(Result<Submission<AlertRecord>, UserFacingError>)
        case loadAlertStatus
        case alertStatusResponse(Result<AlertStatus, UserFacingError>)
        /// The user's own alerts on this device, including those that another device raised or
        /// ended.
        case alertsUpdated([AlertRecord])
        /// Contains this device's session. `readEnd` is the time of the newest end by another
        /// device that the person has read about here.
        case sessionKnown(SessionID, readEnd: Date?)
        case connectivityChanged(Connectivity)
        /// The person says that a responder's report is not true. Alerts everyone again.
        case resumeButtonTapped(AlertRecord.ID)
        case resumeResponse(Result<AlertRecord, UserFacingError>)
        case endElsewhereRead
        /// The person calls for help again after another device has ended the alert.
        case raiseAgainButtonTapped
        case raiseAgainConfirmed
        case signOutElsewhereButtonTapped
        case signOutElsewhereConfirmed
        case signOutElsewhereResponse(SessionID, UserFacingError?)
        case loadAlertHistory
        case loadMoreAlertHistory
        case alertHistoryResponse(Result<HistoryPage<AlertRecord>, UserFacingError>)
        /// Loads the deliveries of one alert of the history, and follows them.
        case loadAlertDetails(AlertRecord.ID)
        case alertDetailsResponse(Result<AlertRecord, UserFacingError>)
        case timerTick
        case endedWordsDismissed
        case appBecameActive
        case appBecameInactive
        case confirmationAlert(PresentationAction<Action>)
        case addResponderButtonTapped
        /// The person has confirmed the end in a question. Three seconds begin, as for a hold, and
        /// can be cancelled.
        case alertDeactivationConfirmed
        case setError(String?)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case addResponder
        }
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.settingsClient) private var settingsClient

    private let call = AlertCall()
    private let ownAlerts = OwnAlerts()

    enum CancelID {
        case activation, deactivation, resetTimer, hold, timer, stream, connectivity, status,
            history, details, endedWords, trigger
    }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .triggerChanged, .alertButtonTapped, .alertActivationConfirmed,
                .setActivationProgress, .alertActivationResponse, .alertDeactivationButtonTapped,
                .alertDeactivationConfirmed, .holdBegan, .holdEnded,
                .alertDeactivationProgressChanged, .alertDeactivationResponse,
                .alertStatusResponse(.success), .raiseAgainButtonTapped, .raiseAgainConfirmed,
                .endedWordsDismissed,
                .confirmationAlert(.presented(.alertActivationConfirmed)),
                .confirmationAlert(.presented(.alertDeactivationConfirmed)),
                .confirmationAlert(.presented(.raiseAgainConfirmed)):
                return call.reduce(into: &state, action: action)
            case .alertsUpdated:
                let known = state.knownAlerts
                let following = call.reduce(into: &state, action: action)
                return .merge(following, ownAlerts.loadAgain(after: known, &state))
            case .resumeResponse:
                let known = state.knownAlerts
                let answering = ownAlerts.reduce(into: &state, action: action)
                return .merge(answering, ownAlerts.loadAgain(after: known, &state))
            case .onAppear, .loadAlertStatus, .alertStatusResponse(.failure), .sessionKnown,
                .resumeButtonTapped, .endElsewhereRead, .signOutElsewhereButtonTapped,
                .signOutElsewhereConfirmed, .signOutElsewhereResponse, .loadAlertHistory,
                .loadMoreAlertHistory,
                .alertHistoryResponse, .loadAlertDetails, .alertDetailsResponse,
                .confirmationAlert(.presented(.signOutElsewhereConfirmed)):
                return ownAlerts.reduce(into: &state, action: action)
            case .onDisappear:
                return leave(&state)
            case .startStream:
                state.hasStopped = false
                return .merge(ownAlerts.follow(), call.observeConnectivity(), loadTrigger())
            case .stopStream:
                state.hasStopped = true
                return .merge(
                    .cancel(id: CancelID.stream), .cancel(id: CancelID.connectivity),
                    .cancel(id: CancelID.trigger))
            case .connectivityChanged(let connectivity):
                let wasSending = state.isSendingStart
                state.apply(connectivity)
                // The server now has the alert, so it knows who is told.
                return wasSending && !state.isSendingStart ? ownAlerts.loadStatus() : .none
            case .timerTick:
                state.now = serverClock.time(at: date.now)
                return .none
            case .appBecameActive:
                state.isAppActive = true
                return .merge(
                    ownAlerts.loadStatus(),
                    state.followedAlert.map { ownAlerts.loadDetails($0, &state) } ?? .none)
            case .appBecameInactive:
                state.isAppActive = false
                if !state.isActivatingAlert { state.activationProgress = 0 }
                return .merge(
                    .cancel(id: CancelID.resetTimer), .cancel(id: CancelID.details),
                    call.letGo(&state))
            case .addResponderButtonTapped:
                return .send(.delegate(.addResponder))
            case .confirmationAlert, .delegate:
                return .none
            case .setError(let error):
                state.error = error
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
        .ifLet(\.$confirmationAlert, action: \.confirmationAlert)
        .onChange(of: \.isTiming) { _, isTiming in
            Reduce { state, _ in isTiming ? startTimer(&state) : .cancel(id: CancelID.timer) }
        }
    }

    private func loadTrigger() -> Effect<Action> {
        .run { [settingsClient] send in
            if let trigger = await settingsClient.alertTrigger() {
                await send(.triggerChanged(trigger))
            }
        }
        .cancellable(id: CancelID.trigger, cancelInFlight: true)
    }

    private func startTimer(_ state: inout State) -> Effect<Action> {
        state.now = serverClock.time(at: date.now)
        return .run { [clock] send in
            for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTick) }
        }
        .cancellable(id: CancelID.timer, cancelInFlight: true)
    }

    /// Stops loading and cancels a hold when the screen disappears. The count of taps stays,
    /// because taps count on every screen.
    private func leave(_ state: inout State) -> Effect<Action> {
        state.timesShown = max(0, state.timesShown - 1)
        guard state.timesShown == 0 else { return .none }
        (state.isLoadingHistory, state.isLoadingMore) = (false, false)
        state.followedAlert = nil
        let loading = [CancelID.status, .history, .details].map { Effect<Action>.cancel(id: $0) }
        return .merge(loading + [call.letGo(&state)])
    }
}

extension AlertFeature.State {
    public init(
        isAlertActive: Bool = false, activationProgress: Double = 0.0,
        deactivationProgress: Double = 0.0, alertStartTime: Date? = nil,
        alertEndTime: Date? = nil, alertHistory: [AlertRecord] = [],
        isActivatingAlert: Bool = false, isDeactivatingAlert: Bool = false,
        isLoadingHistory: Bool = false, error: String? = nil
    ) {
        self.isAlertActive = isAlertActive
        self.activationProgress = activationProgress
        self.deactivationProgress = deactivationProgress
        self.alertStartTime = alertStartTime
        self.alertEndTime = alertEndTime
        self.alertHistory = alertHistory
        self.isActivatingAlert = isActivatingAlert
        self.isDeactivatingAlert = isDeactivatingAlert
        self.isLoadingHistory = isLoadingHistory
        self.error = error
    }

    /// In seconds; 0 without an alert. Never negative, even if the server's clock is ahead.
    public var alertDuration: TimeInterval {
        guard let alertStartTime, let end = alertEndTime ?? now else { return 0 }
        return max(0, end.timeIntervalSince(alertStartTime))
    }

    /// The duration as `05:12`, or from an hour on as `01:05:12`.
    public var formattedAlertDuration: String {
        let duration = Int(alertDuration)
        let (hours, minutes, seconds) = (duration / 3600, duration % 3600 / 60, duration % 60)
        let parts = hours > 0 ? [hours, minutes, seconds] : [minutes, seconds]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    public var canActivateAlert: Bool {
        !isAlertActive && !isActivatingAlert && !isDeactivatingAlert
    }
    public var canDeactivateAlert: Bool {
        isAlertActive && !isActivatingAlert && !isDeactivatingAlert
    }
    /// True from the confirmation of an end, or the end of a hold, until the end has been answered
    /// or queued.
    public var isEndUnderway: Bool { isEndConfirmed || isDeactivatingAlert }
    public var isFullyActivated: Bool { activationProgress >= 1.0 }
    public var isFullyDeactivated: Bool { deactivationProgress >= 1.0 }

    /// nil before the server has the alert.
    public var currentAlert: AlertRecord? {
        alertID.flatMap { id in alertHistory.first { $0.id == id.description } }
    }

    /// The kinds of the user's open alerts.
    var openKinds: [AlertKind] {
        let opened = [missedCheckIn, overdueJourney].compactMap(\.self).filter(\.isActive)
        let own: [AlertKind] = isAlertActive ? [.manual] : []
        return own + opened.map(\.kind)
    }

    var knownAlerts: [AlertRecord] {
        let opened = [missedCheckIn, overdueJourney].compactMap(\.self)
        return opened + alertHistory.filter { alert in !opened.contains { $0.id == alert.id } }
    }

    public var isWaitingToBeSent: Bool { isSendingStart || isSendingEnd }

    public var waitingWords: String? {
        if isSendingStart {
            return
                """
                Your alert will be sent as soon as LifeSignal can be reached. In an emergency, \
                call for help directly.
                """
        }
        if isSendingEnd {
            return "The end of your alert will be sent as soon as LifeSignal can be reached."
                + (hasResponders == false ? "" : " Until then your responders see it as open.")
        }
        return nil
    }

    fileprivate mutating func apply(_ connectivity: Connectivity) {
        isSendingStart =
            isRetrying || connectivity.waiting.contains { $0.kind == .raiseAlert }
        isSendingEnd = connectivity.waiting.contains { $0.kind == .endAlert }
        if !isSendingEnd { endingAlertID = nil }
    }

    var isRetrying: Bool { failedActivations > 0 }
    var isTiming: Bool {
        isAlertActive && alertEndTime == nil && timesShown > 0 && isAppActive
    }

    /// Finds an alert that another device has ended. A call for help that is on hides every end.
    mutating func findEndElsewhere(among alerts: [AlertRecord], at now: Date) {
        guard let ownSession else { return }
        guard !alerts.contains(where: { $0.isActive && $0.kind == .manual }) else {
            endElsewhere = nil
            return
        }
        let read = readEnd
        let end = EndElsewhere.shown(among: alerts, known: endElsewhere) {
            $0.isNews(to: ownSession, read: read, at: now)
        }
        // An earlier text would look as if it were about this end.
        if end != nil, end != endElsewhere { endedWords = nil }
        endElsewhere = end
    }

    /// Shows a page of the history. The first page replaces the list, except for the open alert and
    /// loaded details, which may be newer.
    mutating func show(_ page: HistoryPage<AlertRecord>) {
        nextHistoryPage = page.next
        let known = alertHistory
        if page.isFirst { alertHistory = known.filter { $0.id == alertID?.description } }
        for alert in page.items {
            let details = known.first { $0.id == alert.id }
            keepInHistory(details.map { alert.keepingDetails(of: $0) } ?? alert)
        }
    }

    mutating func keepInHistory(_ alert: AlertRecord) {
        if let index = alertHistory.firstIndex(where: { $0.id == alert.id }) {
            alertHistory[index] = alert.keepingDetails(of: alertHistory[index])
        } else {
            alertHistory.insert(alert, newestFirst: \.startTime)
        }
    }

    mutating func setResponders(among contacts: IdentifiedArrayOf<ContactData>) {
        hasResponders = contacts.contains { $0.isWanted(.responder) }
        responderNames = contacts.filter(\.isResponder).map { ProfileRules.displayName($0.name) }
        areRespondersReachable = !Audience(of: contacts).isUnreachable
        stoppedResponders = contacts.stopped
    }

    public var isOnOrBeingRaised: Bool { isAlertActive || isActivatingAlert }

    /// True during the three seconds before the end, after a hold began or the question was
    /// confirmed.
    public var isEnding: Bool {
        canDeactivateAlert && deactivationProgress > 0 && !isFullyDeactivated
    }

    /// The hint on the button that calls for help. After the first press, the number of presses.
    public var pressWords: String {
        guard trigger != .confirmation else { return AlertFeature.confirmHint }
        let presses = AlertRules.presses(at: activationProgress)
        return presses == 0 ? AlertFeature.pressHint : "\(presses) of \(AlertRules.presses)"
    }

    public var title: String { isActivatingAlert ? "Calling for help …" : "Alert is on" }

    /// True while the server does not have the alert. A text message may then get through where the
    /// app's request doesn't.
    public var offersTextMessage: Bool { isActivatingAlert || isSendingStart }

    public var holdWords: String { isDeactivatingAlert ? "Ending …" : "I am safe: hold to end" }

    public var nobodyToldWords: String {
        if isSendingStart {
            "No one."
        } else if hasResponders == false {
            "You have no responders now."
        } else if !areRespondersReachable {
            "No message reaches your responders."
        } else {
            "Your responders are being told."
        }
    }

    public var noAnswerWords: String { noAnswerWords(isUnheard: !areRespondersReachable) }

    private func noAnswerWords(isUnheard: Bool) -> String {
        if hasResponders == false {
            // A former responder may have been told.
            "No one is told: you have no responders. Call for help directly."
        } else if isSendingStart {
            "We don’t know yet whether anyone was told."
        } else if isUnheard {
            "No one is on it yet. No message reaches your responders. Call for help directly."
        } else {
            "No one is on it yet. Your responders are alerted again until someone takes it on."
        }
    }

    /// True if no message reaches a responder, and none has read about the alert in an open app.
    /// The server knows whether all messages have failed.
    public func isUnheard(_ alert: AlertRecord) -> Bool {
        alert.isUnheard == true
            || !areRespondersReachable
                && !alert.ledger.contains {
                    $0.channel == .stream && $0.isDelivered && $0.recipientId != alert.userId
                }
    }

    /// The text for an alert that the server has: who can't come, and whether others are left.
    public func noAnswerWords(to alert: AlertRecord) -> String {
        let silence = noAnswerWords(isUnheard: isUnheard(alert))
        guard hasResponders != false else { return silence }
        guard alert.isRefusedByAll != true else {
            return """
                Your responders can’t come: everyone who can be reached has said so. Call for \
                help directly.
                """
        }
        guard let refusals = alert.refusals else { return silence }
        let names = listed(refusals.map { ProfileRules.displayName($0.name) })
        guard !isUnheard(alert) else {
            return """
                \(names) can’t come. No message reaches your other responders. Call for help \
                directly.
                """
        }
        return """
            \(names) can’t come. No one else is on it yet. Your other responders are alerted \
            again until someone takes it on.
            """
    }

    /// "Ben reports that you are safe"; nil while no report pauses the repeats.
    public func reportWords(of alert: AlertRecord) -> String? {
        alert.report.flatMap { action in
            action.kind.report.map {
                AlertWords.reported(
                    $0, by: ProfileRules.displayName(action.name), about: nil)
            }
        }
    }

    public func resumeWords(of alert: AlertRecord) -> String {
        if alert.liftingAlertsEveryone {
            return resumingAlert == alert.id
                ? "Alerting everyone …" : "That is not true: alert everyone again"
        }
        return resumingAlert == alert.id ? "Saying so …" : "That is not true"
    }

    /// The text that is announced once the server has the alert; empty before that.
    public var sentWords: String {
        isAlertActive && !isSendingStart ? "Your alert was sent." : ""
    }

    /// Siri's answer once the server has the alert. Warns a user without responders, and one whose
    /// responders get no message and haven't acknowledged the alert.
    public func spokenWords(about alert: AlertRecord) -> String {
        let helpIsUnlikely =
            hasResponders == false || (alert.acknowledgement == nil && isUnheard(alert))
        return helpIsUnlikely
            ? "\(sentWords) \(noAnswerWords(to: alert))" : sentWords
    }

    public var emptyHistoryWords: String {
        if isLoadingHistory { return "Loading …" }
        return nextHistoryPage == nil ? "None yet." : "None among the latest."
    }
}

extension AlertFeature {
    public struct AlertStatus: Equatable, Sendable {
        public var alerts: [AlertRecord]
        /// True if `alerts` contains every open alert. A missing alert has then ended.
        public var isComplete: Bool

        public init(alerts: [AlertRecord], isComplete: Bool) {
            self.alerts = alerts
            self.isComplete = isComplete
        }
    }

    /// The prepared text message for an alert that can't be sent, without the emergency note.
    public static let textMessage =
        "I need help. LifeSignal can’t be reached, so I’m texting you. Please call me."

    public static let pressHint = "Call for help: press \(AlertRules.presses) times"

    /// The hint for the trigger with one press and a question.
    public static let confirmHint = "Call for help: press once, then confirm"

    public static let holdHint =
        """
        Hold it for \(AlertRules.hold.words), with a finger, the space bar or the enter \
        key.
        """

    public static let tableName = "alerts.csv"
}

extension AlertTrigger {
    public var words: String {
        switch self {
        case .fourPresses, .slowPresses:
            "Press \(AlertRules.presses) times, with at most \(timeout.words) in between"
        case .confirmation: "Press once, then confirm"
        }
    }
}
