import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The whole app: nobody signed in, onboarding, or the tabs; and what comes from outside of it.
@Reducer
public struct AppFeature: Sendable {
    @Reducer
    public enum Screen {
        case signedOut(AuthFeature)
        case onboarding(OnboardingFeature)
        case main(MainTabFeature)
    }

    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil while the session of an earlier run is looked for.
        @Presents public var screen: Screen.State?
        /// nil while nobody is signed in.
        public var signedIn: SignedIn?
        /// The connection, and what waits for it.
        public var connectivity: Connectivity
        /// Errors to show, one after the other.
        public var errors: [UserFacingError]
        /// The code of a link that was opened before anybody was signed in.
        public var pendingCode: String?
        /// The subject of a notification that was tapped before the tabs were there.
        public var pendingSubject: NotificationSubject?
        /// The address at which this device is notified while the app is closed.
        public var pushEndpoint: URL?
        /// Reminders that this device shows by itself before a deadline.
        public var reminders = ReminderFeature.State()
        /// Alerts that were not sent when the session ended, where no queue on disk has them.
        var lostAlerts = LostAlerts()
        /// The push endpoint could not be registered; it is tried again with the connection.
        var isPushEndpointWaiting = false

        public init(
            screen: Screen.State? = nil, signedIn: SignedIn? = nil,
            connectivity: Connectivity = .init(), errors: [UserFacingError] = [],
            pendingCode: String? = nil, pendingSubject: NotificationSubject? = nil,
            pushEndpoint: URL? = nil
        ) {
            self.screen = screen
            self.signedIn = signedIn
            self.connectivity = connectivity
            self.errors = errors
            self.pendingCode = pendingCode
            self.pendingSubject = pendingSubject
            self.pushEndpoint = pushEndpoint
        }

        public var error: UserFacingError? { errors.first }
        public var queueLength: Int { connectivity.waiting.count }

        /// "Offline, 2 waiting"; nil when there is nothing to say.
        public var connectivityText: String? {
            switch (connectivity.isOnline, queueLength) {
            case (true, 0): nil
            case (true, let count): "\(count) waiting to be sent"
            case (false, 0): "Offline"
            case (false, let count): "Offline, \(count) waiting"
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case appLaunched
        case sessionRestored(SignedIn?)
        case becameActive
        case becameInactive
        case connectivityChanged(Connectivity)
        case retryButtonTapped
        case refused(Refusal)
        /// The session ended, with the actions that waited and were not sent.
        case sessionEnded([WaitingAction])
        /// An alert from before this sign-in, which only the browser has kept.
        case earlierAlertFound(AlertID, raisedAt: Date)
        case unsentAlertAnswered(isToBeSent: Bool)
        case unsentAlertFailed(UserFacingError)
        case urlOpened(URL)
        case notificationOpened(NotificationSubject)
        case pushEndpointReceived(URL)
        case pushEndpointRefused(UserFacingError)
        case dismissError
        case reminders(ReminderFeature.Action)
        case screen(PresentationAction<Screen.Action>)
    }

    @Dependency(\.alertClient) var alertClient
    @Dependency(\.authClient) var authClient
    @Dependency(\.continuousClock) var clock
    @Dependency(\.date) var date
    @Dependency(\.connectivityClient) var connectivityClient
    @Dependency(\.localNotificationClient) var localNotificationClient
    @Dependency(\.locale) var locale
    @Dependency(\.notificationClient) var notificationClient

    enum CancelID {
        case restore, connectivity, session, retry, pushEndpoint, question, unsentAlert
    }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.reminders, action: \.reminders) { ReminderFeature() }
        Reduce { state, action in
            switch action {
            case .appLaunched:
                guard state.screen == nil else { return .none }
                return .merge(
                    .run { send in await send(.sessionRestored(authClient.session())) }.cancellable(
                        id: CancelID.restore, cancelInFlight: true),
                    watchConnectivity()
                )
            case .sessionRestored(let session):
                guard state.screen == nil else { return .none }
                guard let session else {
                    // The tapped notification may belong to the previous user.
                    state.pendingSubject = nil
                    state.screen = .signedOut(AuthFeature.State())
                    return .none
                }
                return enter(session, &state)
            case .screen(.presented(.signedOut(.delegate(.signedIn(let session))))):
                return enter(session, &state)
            case .screen(.presented(.onboarding(.delegate(.finished(let choice))))):
                guard let signedIn = state.signedIn else { return .none }
                return .concatenate(enterTabs(of: signedIn.userID, &state), lead(to: choice))
            case .screen(.presented(.main(.delegate(.signedOut)))):
                return leave(&state)
            case .screen(.presented(.main(.delegate(.accountDeleted)))):
                return leave(&state, saying: .accountDeleted)
            case .sessionEnded(let unsent):
                return sessionEnded(unsent, &state)
            case .earlierAlertFound(let id, let time):
                return earlierAlertFound(id, raisedAt: time, &state)
            case .unsentAlertAnswered(let isToBeSent):
                return unsentAlertAnswered(isToBeSent: isToBeSent, &state)
            case .unsentAlertFailed(let error):
                state.errors.append(error)
                return .none
            case .connectivityChanged(let connectivity):
                return .merge(
                    connectivityChanged(connectivity, &state), remind(of: connectivity))
            case .retryButtonTapped:
                return retry()
            case .refused(let refusal):
                state.errors.append(refusal.words)
                return .none
            case .urlOpened(let url):
                return open(url, &state)
            case .notificationOpened(let subject):
                return open(subject, &state)
            case .pushEndpointReceived(let url):
                state.pushEndpoint = url
                return registerPushEndpoint(&state)
            case .pushEndpointRefused(let error):
                return pushEndpointRefused(error, &state)
            case .becameActive:
                return .merge(
                    retry(), tellHome(.appBecameActive, state), remind(.refresh))
            case .becameInactive:
                return tellHome(.appBecameInactive, state)
            case .dismissError:
                if !state.errors.isEmpty { state.errors.removeFirst() }
                return .none
            case .screen, .reminders:
                return .none
            }
        }
        .ifLet(\.$screen, action: \.screen)
    }

    private func enter(_ session: SignedIn, _ state: inout State) -> Effect<Action> {
        state.signedIn = session
        state.errors = []
        // The streams of the time before the sign-in have ended.
        let watching = Effect.merge(
            watchSession(), watchConnectivity(), askAboutLostAlerts(&state), remind(.startStream))
        guard session.isNewUser else {
            return .merge(watching, enterTabs(of: session.userID, &state))
        }
        state.screen = .onboarding(OnboardingFeature.State())
        return .merge(watching, registerPushEndpoint(&state))
    }

    private func enterTabs(of userID: UserID, _ state: inout State) -> Effect<Action> {
        var main = MainTabFeature.State(userID: userID)
        main.responders.contacts.locale = locale
        main.dependents.contacts.locale = locale
        state.screen = .main(main)
        let (code, subject) = (state.pendingCode, state.pendingSubject)
        state.pendingCode = nil
        state.pendingSubject = nil
        return .merge(
            registerPushEndpoint(&state),
            subject.map { .send(.screen(.presented(.main(.opened($0))))) } ?? .none,
            code.map { .send(.screen(.presented(.main(.linkOpened(code: $0))))) } ?? .none
        )
    }

    /// Back to the start: nothing of one person is there for the next.
    func leave(_ state: inout State, saying words: UserFacingError? = nil) -> Effect<Action> {
        state = State(
            screen: .signedOut(AuthFeature.State()),
            connectivity: Connectivity(isOnline: state.connectivity.isOnline),
            errors: words.map { [$0] } ?? [], pushEndpoint: state.pushEndpoint)
        return .merge(
            .cancel(id: CancelID.session), .cancel(id: CancelID.pushEndpoint),
            .cancel(id: CancelID.retry), .cancel(id: CancelID.question),
            .cancel(id: CancelID.unsentAlert), watchConnectivity(), remind(.stopStream))
    }

    private func watchConnectivity() -> Effect<Action> {
        .run { send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: CancelID.connectivity, cancelInFlight: true)
    }

    private func watchSession() -> Effect<Action> {
        .merge(
            .run { send in
                for await refusal in connectivityClient.refusals() { await send(.refused(refusal)) }
            },
            .run { send in
                for await unsent in authClient.sessionEnded() { await send(.sessionEnded(unsent)) }
            }
        )
        .cancellable(id: CancelID.session, cancelInFlight: true)
    }
}

extension AppFeature.Screen.State: Equatable, Sendable {}
extension AppFeature.Screen.Action: Equatable, Sendable {}
