import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The whole app: sign-in, onboarding or the tabs, and input from outside these screens.
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
        /// The current screen; nil while the session of an earlier run is being restored.
        @Presents public var screen: Screen.State?
        /// The signed-in user. The web app sets it from the start, because it knows the user before
        /// the session is restored.
        public var signedIn: SignedIn?
        public var connectivity: Connectivity
        /// Errors, shown one after another.
        public var errors: [UserFacingError]
        /// The code of a link that was opened while signed out.
        public var pendingCode: String?
        /// The token of a sign-up link that was opened before the sign-in page was shown.
        public var pendingToken: String?
        /// The subject of a notification that was tapped before the tabs were shown.
        public var pendingSubject: NotificationSubject?
        /// The URL that receives messages for this device while the app is closed.
        public var pushEndpoint: URL?
        public var reminders = ReminderFeature.State()
        /// What is kept for the end of the session, and after it.
        var ending = SessionEnding()
        /// Alerts that were not sent when the session ended and are in no queue on disk.
        fileprivate var lostAlerts = LostAlerts()
        /// True if the push endpoint could not be registered. The app retries when the device is
        /// online.
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

        /// "Offline, 2 waiting"; nil while online with an empty queue.
        public var connectivityWords: String? {
            switch (connectivity.isOnline, queueLength) {
            case (true, 0): nil
            case (true, let count): "\(count) waiting to be sent"
            case (false, 0): "Offline"
            case (false, let count): "Offline, \(count) waiting"
            }
        }

        /// The time of the last sync; nil while the server is reachable.
        public var knownUntil: Date? { connectivity.isOnline ? nil : connectivity.lastSynced }
    }

    public enum Action: Equatable, Sendable {
        case appLaunched
        case sessionRestored(SignedIn?)
        case becameActive
        case becameInactive
        case connectivityChanged(Connectivity)
        case retryButtonTapped
        case refused(RefusedAction)
        /// The session has ended. The value contains the unsent actions.
        case sessionEnded([WaitingAction])
        /// An alert from before this sign-in that only the browser has stored.
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

    @Dependency(\.alertClient) private var alertClient
    @Dependency(\.authClient) private var authClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.localNotificationClient) private var localNotificationClient
    @Dependency(\.locale) private var locale
    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.phoneCountry) private var phoneCountry
    @Dependency(\.serverClock) private var serverClock

    private enum CancelID {
        case inviter, options, restore, connectivity, session, retry, pushEndpoint, question,
            unsentAlert
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
                    state.signedIn = nil
                    state.screen = .signedOut(
                        AuthFeature.State(
                            country: phoneCountry, inviterCode: state.pendingCode,
                            token: state.pendingToken))
                    state.pendingToken = nil
                    return .merge(loadOptions(), findInviter(state))
                }
                return enter(session, &state)
            case .screen(.presented(.signedOut(.delegate(.signedIn(let session))))):
                return enter(session, &state)
            case .screen(.presented(.onboarding(.delegate(.finished(let choice))))):
                guard let signedIn = state.signedIn else { return .none }
                // Another tab would hide the sheet of the link that brought the person.
                let hasLink = state.pendingCode != nil
                return .concatenate(
                    enterTabs(of: signedIn.userID, &state), hasLink ? .none : lead(to: choice))
            case .screen(.presented(.main(.delegate(.signedOut(let unsent))))):
                let isAlertUnsent = unsent.contains { $0.kind == .raiseAlert }
                return leave(&state, saying: isAlertUnsent ? .alertNotSent : nil)
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
                state.dismissLinkErrors()
                return open(url, &state)
            case .notificationOpened(let subject):
                state.dismissLinkErrors()
                return open(subject, &state)
            case .screen(.presented(.main(.tabSelected))):
                state.dismissLinkErrors()
                return .none
            case .pushEndpointReceived(let url):
                state.pushEndpoint = url
                return registerPushEndpoint(&state)
            case .pushEndpointRefused(let error):
                return pushEndpointRefused(error, &state)
            case .becameActive:
                return .merge(
                    retry(), tellHome(.appBecameActive, state), remind(.refresh),
                    loadMissingOptions(state))
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
        (state.errors, state.openAtSignOut) = ([], nil)
        // Starts all streams. Those from before the sign-in have ended.
        let watching = Effect.merge(
            watchSession(), watchConnectivity(), askAboutLostAlerts(&state), remind(.startStream))
        guard session.isNewUser else {
            return .merge(watching, enterTabs(of: session.userID, &state))
        }
        state.screen = .onboarding(OnboardingFeature.State())
        return .merge(
            watching, .cancel(id: CancelID.inviter), .cancel(id: CancelID.options),
            registerPushEndpoint(&state))
    }

    private func enterTabs(of userID: UserID, _ state: inout State) -> Effect<Action> {
        var main = MainTabFeature.State(userID: userID)
        main.responders.contacts.locale = locale
        main.dependents.contacts.locale = locale
        main.responders.invitations.country = phoneCountry
        state.screen = .main(main)
        let (code, subject) = (state.pendingCode, state.pendingSubject)
        state.pendingCode = nil
        state.pendingSubject = nil
        return .merge(
            .cancel(id: CancelID.inviter), .cancel(id: CancelID.options),
            registerPushEndpoint(&state),
            subject.map { .send(.screen(.presented(.main(.opened($0))))) } ?? .none,
            code.map { .send(.screen(.presented(.main(.linkOpened(code: $0))))) } ?? .none
        )
    }

    /// Resets the state, so that nothing of one person stays for the next.
    private func leave(_ state: inout State, saying words: UserFacingError? = nil) -> Effect<Action>
    {
        state = State(
            screen: .signedOut(AuthFeature.State(country: phoneCountry)),
            connectivity: Connectivity(isOnline: state.connectivity.isOnline),
            errors: words.map { [$0] } ?? [], pushEndpoint: state.pushEndpoint)
        return .merge(
            .cancel(id: CancelID.session), .cancel(id: CancelID.pushEndpoint),
            .cancel(id: CancelID.retry), .cancel(id: CancelID.question),
            .cancel(id: CancelID.unsentAlert), watchConnectivity(), remind(.stopStream),
            loadOptions())
    }

    private func loadOptions() -> Effect<Action> {
        .run { [authClient] send in
            guard let options = await authClient.signInOptions() else { return }
            await send(.screen(.presented(.signedOut(.optionsLoaded(options)))))
        }
        .cancellable(id: CancelID.options, cancelInFlight: true)
    }

    /// Loads the options again if the first request for them failed.
    private func loadMissingOptions(_ state: State) -> Effect<Action> {
        guard case .signedOut(let auth) = state.screen, auth.options == nil else { return .none }
        return loadOptions()
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

extension AppFeature {
    private func connectivityChanged(_ connectivity: Connectivity, _ state: inout State) -> Effect<
        Action
    > {
        let isBack = connectivity.isOnline && !state.connectivity.isOnline
        state.update(connectivity)
        guard isBack, state.isPushEndpointWaiting else { return .none }
        return registerPushEndpoint(&state)
    }

    private func open(_ url: URL, _ state: inout State) -> Effect<Action> {
        if let alert = Self.alert(of: url) { return open(.alert(alert, user: nil), &state) }
        if let token = SignUpRules.secret(in: url.absoluteString) {
            return open(token: token, &state)
        }
        if SignUpRules.isLink(url) {
            state.errors.append(.notASignUpLink)
            return .none
        }
        guard (try? QRCodeRules.id(in: url.absoluteString)) != nil else {
            state.errors.append(.notACodeLink)
            return .none
        }
        guard state.screen?.is(\.main) == true else {
            state.pendingCode = url.absoluteString
            if case .signedOut(var auth) = state.screen {
                auth.inviterCode = url.absoluteString
                state.screen = .signedOut(auth)
            }
            return .merge(loadMissingOptions(state), findInviter(state))
        }
        return .send(.screen(.presented(.main(.linkOpened(code: url.absoluteString)))))
    }

    private func open(token: String, _ state: inout State) -> Effect<Action> {
        guard let screen = state.screen else {
            state.pendingToken = token
            return .none
        }
        guard screen.is(\.signedOut) else {
            state.errors.append(.signedInAlready)
            return .none
        }
        return .send(.screen(.presented(.signedOut(.tokenOpened(token)))))
    }

    private func findInviter(_ state: State) -> Effect<Action> {
        guard let code = state.pendingCode, state.screen?.is(\.signedOut) == true else {
            return .none
        }
        return .run { [authClient] send in
            guard let name = await authClient.inviter(code: code) else { return }
            await send(.screen(.presented(.signedOut(.inviterFound(name)))))
        }
        .cancellable(id: CancelID.inviter, cancelInFlight: true)
    }

    /// Returns the id in `https://…/alerts/{id}`, the link in messages to responders.
    private static func alert(of url: URL) -> AlertID? {
        PathPrefix.name(in: "alerts", of: url).flatMap { AlertID($0) }
    }

    private func open(_ subject: NotificationSubject, _ state: inout State) -> Effect<Action> {
        guard state.screen?.is(\.main) == true else {
            // A notification that is tapped while signed out may be another person's. So the
            // subject is kept only while the app starts.
            if state.screen == nil { state.pendingSubject = subject }
            return .none
        }
        return .send(.screen(.presented(.main(.opened(subject)))))
    }

    private func pushEndpointRefused(_ error: UserFacingError, _ state: inout State) -> Effect<
        Action
    > {
        guard state.connectivity.isOnline else {
            state.isPushEndpointWaiting = true
            return .none
        }
        state.errors.append(error)
        return .none
    }

    private func lead(to choice: OnboardingFeature.FirstResponder) -> Effect<Action> {
        switch choice {
        case .showCode: .send(.screen(.presented(.main(.home(.qrCodeButtonTapped)))))
        case .scanCode: .send(.screen(.presented(.main(.addResponderRequested))))
        case .invite: .send(.screen(.presented(.main(.inviteRequested))))
        case .later: .none
        }
    }

    private func tellHome(_ action: HomeFeature.Action, _ state: State) -> Effect<Action> {
        state.screen?.is(\.main) == true ? .send(.screen(.presented(.main(.home(action))))) : .none
    }

    private func retry() -> Effect<Action> {
        .run { _ in await connectivityClient.retryNow() }.cancellable(
            id: CancelID.retry, cancelInFlight: true)
    }

    private func registerPushEndpoint(_ state: inout State) -> Effect<Action> {
        state.isPushEndpointWaiting = false
        guard let url = state.pushEndpoint, state.signedIn != nil else { return .none }
        return .run { send in
            try await notificationClient.registerPushEndpoint(url: url)
        } catch: { error, send in
            await send(.pushEndpointRefused(UserFacingError(catching: error)))
        }
        .cancellable(id: CancelID.pushEndpoint, cancelInFlight: true)
    }
}

extension RefusedAction {
    var words: UserFacingError {
        var words = error
        words.message =
            "The server refused \([action].inWords) that was waiting to be sent. \(error.message)"
        return words
    }
}

extension UserFacingError {
    static let notASignUpLink = UserFacingError(SignUpRules.notALink)

    /// Unlike the scanner, a link shows no field for the id.
    static let notACodeLink: UserFacingError = {
        var error = UserFacingError(QRCodeRules.notACode)
        error.recoverySuggestion = "Open the whole link again, or scan the code in LifeSignal."
        return error
    }()

    static let signedInAlready = UserFacingError(
        title: "You are signed in already",
        message: "A sign-up link opens an account, or signs in a phone number.",
        recoverySuggestion: "To use the link, sign out first.",
        code: "already-signed-in")

    static let accountDeleted = UserFacingError(
        title: "Your account is deleted",
        message: "Everything about you is gone, and your contacts are being told.",
        recoverySuggestion: "To open a new account, you may need an invitation.",
        code: "account-deleted"
    )

    static let alertNotSent = UserFacingError(
        title: "Your alert was NOT sent",
        message: "Your session ended before it was sent. We don’t know whether anyone was told.",
        recoverySuggestion: "Phone someone now: your local emergency number, or someone near you. "
            + "Then sign in again with your phone number.",
        code: .unauthenticated)
}

/// Lost alerts: alerts that were not sent when another device ended the session. The person is told
/// at once, and asked at the next sign-in. Without an answer the alerts are sent (product.md,
/// "Offline").
extension AppFeature {
    /// Alerts that were raised in this store, or in its browser, before the session ended.
    public struct LostAlerts: Equatable, Sendable {
        fileprivate var user: UserID?
        fileprivate var raised: [AlertID: Date] = [:]
        /// When the alerts are sent without an answer; nil unless the app is asking.
        fileprivate var sendsAt: Date?
        /// The person's answers. An alert without an answer is sent.
        fileprivate var answers: [AlertID: Bool] = [:]
    }

    private func sessionEnded(_ unsent: [WaitingAction], _ state: inout State) -> Effect<Action> {
        guard let user = state.signedIn?.userID else { return .none }
        var lost = state.lostAlerts
        // The app asks about an alert in the queue on disk through `Connectivity.unsentAlert`.
        let isKept = unsent.contains { $0.kind == .raiseAlert }
        if !isKept, let (id, time) = state.alertOnItsWay(at: date.now, serverClock.offset()) {
            if lost.user != user { lost = LostAlerts(user: user) }
            lost.raised[id] = time
        }
        lost.sendsAt = nil
        // The lost alerts may be those of a person who was signed in before.
        let isAlertUnsent = isKept || lost.user == user && !lost.raised.isEmpty
        let now = serverClock.time(at: date.now)
        let open = state.openAlerts(isUnsent: isAlertUnsent, at: now)
        let words: UserFacingError =
            isAlertUnsent ? .alertNotSent : state.sessionEndedWords(at: now)
        let effect = leave(&state, saying: words)
        (state.lostAlerts, state.openAtSignOut) = (lost, open)
        return effect
    }

    private func askAboutLostAlerts(_ state: inout State) -> Effect<Action> {
        guard let user = state.signedIn?.userID, state.lostAlerts.user == user,
            !state.lostAlerts.raised.isEmpty, state.lostAlerts.sendsAt == nil
        else { return .none }
        state.lostAlerts.sendsAt = date.now.adding(UnsentAlert.timeToAnswer)
        return .run { [clock] send in
            try await clock.sleep(for: UnsentAlert.timeToAnswer)
            await send(.unsentAlertAnswered(isToBeSent: true))
        }
        .cancellable(id: CancelID.question, cancelInFlight: true)
    }

    private func earlierAlertFound(_ id: AlertID, raisedAt time: Date, _ state: inout State)
        -> Effect<
            Action
        >
    {
        guard let user = state.signedIn?.userID, state.answer(about: id) == nil else {
            return .none
        }
        if state.lostAlerts.user != user { state.lostAlerts = LostAlerts(user: user) }
        state.lostAlerts.raised[id] = time
        return askAboutLostAlerts(&state)
    }

    private func unsentAlertAnswered(isToBeSent: Bool, _ state: inout State) -> Effect<Action> {
        let isQueued = state.connectivity.unsentAlert != nil
        let lost = state.lostAlerts.sendsAt == nil ? [:] : state.lostAlerts.raised
        state.lostAlerts.sendsAt = nil
        for id in lost.keys {
            state.lostAlerts.raised[id] = nil
            state.lostAlerts.answers[id] = isToBeSent
        }
        state.connectivity.unsentAlert = nil
        let answer = Effect<Action>.run { _ in
            await connectivityClient.answerUnsentAlert(isToBeSent: isToBeSent)
        }
        return .merge(
            .cancel(id: CancelID.question), isQueued ? answer : .none,
            isToBeSent ? raise(lost) : .none)
    }

    /// Raises the alerts. Retries until the server has accepted each alert.
    private func raise(_ alerts: [AlertID: Date]) -> Effect<Action> {
        guard !alerts.isEmpty else { return .none }
        return .run { [alertClient, clock] send in
            for (id, time) in alerts.sorted(by: { $0.value < $1.value }) {
                var failures = 0
                while !Task.isCancelled {
                    do {
                        _ = try await alertClient.raiseEarlier(id: id, raisedAt: time)
                        break
                    } catch {
                        failures += 1
                        if failures == 1 {
                            await send(.unsentAlertFailed(UserFacingError(catching: error)))
                        }
                        try await clock.sleep(for: AlertRules.retryDelay(afterFailures: failures))
                    }
                }
            }
        }
        .cancellable(id: CancelID.unsentAlert)
    }
}

extension AppFeature.State {
    /// The unsent alert that the app asks the person about; nil if there is none.
    public var unsentAlert: UnsentAlert? {
        if let alert = connectivity.unsentAlert { return alert }
        guard let sendsAt = lostAlerts.sendsAt, let raisedAt = lostAlerts.raised.values.min()
        else { return nil }
        return UnsentAlert(raisedAt: raisedAt, sendsAt: sendsAt)
    }

    /// Removes the error of an earlier link. The person has opened another one, or moved on.
    fileprivate mutating func dismissLinkErrors() {
        let ofLinks: [UserFacingError] = [.notASignUpLink, .notACodeLink, .signedInAlready]
        errors.removeAll { ofLinks.contains($0) }
    }

    /// The unanswered alerts that are in no queue on disk, in the order of their ids.
    public var lostAlertIDs: [AlertID] { lostAlerts.raised.keys.sorted() }

    /// Returns the answer about an alert from before the sign-in; nil before the answer.
    public func answer(about id: AlertID) -> Bool? { lostAlerts.answers[id] }

    /// Returns an alert that was raised and may not have reached the server, and the press's time
    /// by this device's clock.
    /// - Parameter offset: how far the server's clock is ahead.
    fileprivate func alertOnItsWay(at now: Date, _ offset: Duration) -> (AlertID, Date)? {
        guard case .main(let main) = screen, let id = main.home.alert.alertID,
            main.home.alert.isActivatingAlert || main.home.alert.isSendingStart
        else { return nil }
        return (id, main.home.alert.alertStartTime?.adding(.zero - offset) ?? now)
    }

    public var main: MainTabFeature.State? {
        if case .main(let main) = screen { main } else { nil }
    }
}

extension AppFeature {
    private func remind(_ action: ReminderFeature.Action) -> Effect<Action> {
        localNotificationClient.isAvailable() ? .send(.reminders(action)) : .none
    }

    private func remind(of connectivity: Connectivity) -> Effect<Action> {
        .merge(
            remind(.checkInWaitingChanged(connectivity.waiting.contains { $0.kind == .checkIn })),
            remind(
                .settingsWaitingChanged(
                    connectivity.waiting.contains { $0.kind == .updateSettings })),
            remind(.waitingPressChanged(JourneyFeature.Waiting(connectivity))))
    }
}
