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
        /// 0 to 1: each tap is a quarter.
        public var activationProgress: Double
        /// 0 to 1: how far the hold has come.
        public var deactivationProgress: Double
        public var alertStartTime: Date?
        /// Set while the end of the alert is on its way: the time stands still.
        public var alertEndTime: Date?
        /// The user's own alerts, newest first.
        public var alertHistory: [AlertRecord]
        public var isActivatingAlert: Bool
        public var isDeactivatingAlert: Bool
        public var isLoadingHistory: Bool
        public var error: String?

        /// The alert that is open, is being raised, or is being ended.
        public var alertID: AlertID?
        /// The start of the alert has not reached the server. It will be sent.
        public var isSendingStart = false
        /// The end of an alert has not reached the server: responders still look after it. It will
        /// be sent.
        public var isSendingEnd = false
        /// The alert whose end waits to be sent: a list that shows it as open is older.
        public var endingAlertID: AlertID?
        /// How often raising it was refused in a row; it is tried again until it is taken.
        public var failedActivations = 0
        /// The alert that the server has opened because of a deadline that passed; a check-in ends
        /// it, and no hold.
        public var missedCheckIn: AlertRecord?
        /// True if the user has responders; nil before the contacts are known.
        public var hasResponders: Bool?
        /// The names of those who are told of an alert and of its end.
        public var responderNames: [String] = []
        /// The alert has just ended, and who has been told so; nil a while later.
        public var endedText: String?
        /// The cursor of the history's next page; nil at its end.
        public var nextHistoryPage: String?
        /// The time that the duration counts to; set each second while the alert is shown.
        public var now: Date?
        var isOnScreen = false
        var isAppActive = true
        /// The screen has gone: a tap that comes late starts no timer.
        var hasLeft = false
        /// Nobody follows the alerts any more, as after signing out.
        var hasStopped = false

        @Presents public var confirmationAlert: AlertState<Action>?
    }

    @CasePathable
    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// Follows the user's own alerts, also while another screen is shown.
        case startStream
        case stopStream
        /// A quarter. The fourth raises the alert; no tap for four seconds starts over.
        case alertButtonTapped
        case setActivationProgress(Double)
        case alertActivationResponse(Result<Submission<AlertRecord>, UserFacingError>)
        /// A tap where a hold is meant: asks, for those who can't hold.
        case alertDeactivationButtonTapped
        /// A finger is on the button: the hold of three seconds begins.
        case holdBegan
        /// The finger has left it. Before the three seconds are over, nothing has happened.
        case holdEnded
        /// How far the hold has come, 0 to 1; 1 is three seconds. Releasing it early is 0.
        case alertDeactivationProgressChanged(Double)
        case alertDeactivationResponse(Result<Submission<AlertRecord>, UserFacingError>)
        case loadAlertStatus
        case alertStatusResponse(Result<AlertStatus, UserFacingError>)
        /// The user's own alerts as this device knows them, also those that another device raised
        /// or ended.
        case alertsUpdated([AlertRecord])
        case connectivityChanged(Connectivity)
        case loadAlertHistory
        case loadMoreAlertHistory
        case alertHistoryResponse(Result<AlertHistoryPage, UserFacingError>)
        /// Loads the deliveries of one alert of the history.
        case loadAlertDetails(AlertRecord.ID)
        case alertDetailsResponse(Result<AlertRecord, UserFacingError>)
        case timerTick
        case endedTextDismissed
        case appBecameActive
        case appBecameInactive
        case confirmationAlert(PresentationAction<Action>)
        case addResponderButtonTapped
        /// The confirmation's own button: the same three seconds begin, and can be taken back.
        case alertDeactivationConfirmed
        case setError(String?)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// There is nobody to be told, and the user wants somebody to be.
            case addResponder
        }
    }

    @Dependency(\.alertClient) var alertClient
    @Dependency(\.authClient) var authClient
    @Dependency(\.connectivityClient) var connectivityClient
    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date
    @Dependency(\.hapticClient) var hapticClient
    @Dependency(\.uuid) var uuid

    enum CancelID {
        case activation, deactivation, resetTimer, hold, timer, stream, connectivity, status,
            history, details, endedText
    }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.isOnScreen = true
                state.hasLeft = false
                return loadStatusAndHistory(&state)
            case .onDisappear:
                return leave(&state)
            case .startStream:
                state.hasStopped = false
                return observe()
            case .stopStream:
                state.hasStopped = true
                return .merge(.cancel(id: CancelID.stream), .cancel(id: CancelID.connectivity))
            case .alertButtonTapped:
                guard state.canActivateAlert, !state.hasLeft else { return .none }
                state.error = nil
                return activationProgress(state.activationProgress + AlertRules.tap, &state)
            case .setActivationProgress(let progress):
                guard state.canActivateAlert, !state.hasLeft else { return .none }
                return activationProgress(progress, &state)
            case .alertActivationResponse(let result):
                return activationEnded(result, &state)
            case .alertDeactivationButtonTapped:
                guard state.canDeactivateAlert else { return .none }
                state.confirmationAlert = .endAlert(tellsSomebody: state.hasResponders != false)
                return .none
            case .confirmationAlert(.presented(.alertDeactivationConfirmed)),
                .alertDeactivationConfirmed:
                guard state.canDeactivateAlert, !state.hasLeft else { return .none }
                return hold()
            case .holdBegan:
                guard state.canDeactivateAlert, !state.hasLeft else { return .none }
                state.confirmationAlert = nil
                return hold()
            case .holdEnded:
                guard state.canDeactivateAlert else { return .none }
                return deactivationProgress(0, &state)
            case .alertDeactivationProgressChanged(let progress):
                guard state.canDeactivateAlert else { return .none }
                return deactivationProgress(progress, &state)
            case .alertDeactivationResponse(let result):
                return deactivationEnded(result, &state)
            case .loadAlertStatus:
                return loadStatus()
            case .alertStatusResponse(.success(let status)):
                return apply(status, &state)
            case .alertsUpdated(let alerts):
                return apply(AlertStatus(alerts: alerts, isComplete: true), &state)
            case .connectivityChanged(let connectivity):
                let wasSending = state.isSendingStart
                state.apply(connectivity)
                // The server has it now, and knows whom it tells.
                return wasSending && !state.isSendingStart ? loadStatus() : .none
            case .loadAlertHistory:
                return loadHistory(&state)
            case .loadMoreAlertHistory:
                guard let next = state.nextHistoryPage else { return .none }
                return loadHistory(before: next, &state)
            case .alertHistoryResponse(.success(let page)):
                state.isLoadingHistory = false
                state.show(page)
                return .none
            case .alertHistoryResponse(.failure(let error)):
                state.isLoadingHistory = false
                state.error = error.text
                return .none
            case .loadAlertDetails(let id):
                return loadDetails(id, &state)
            case .alertDetailsResponse(.success(let alert)):
                state.keepInHistory(alert)
                return .none
            case .alertStatusResponse(.failure(let error)),
                .alertDetailsResponse(.failure(let error)):
                state.error = error.text
                return .none
            case .endedTextDismissed:
                state.endedText = nil
                return .none
            case .timerTick:
                state.now = date.now
                return .none
            case .appBecameActive:
                state.isAppActive = true
                return loadStatus()
            case .appBecameInactive:
                state.isAppActive = false
                startOver(&state)
                return .merge(.cancel(id: CancelID.resetTimer), .cancel(id: CancelID.hold))
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
}
