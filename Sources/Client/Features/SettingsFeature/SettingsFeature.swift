import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Signed-in devices, notifications, the export of all data, and the deletion of the account.
@Reducer
public struct SettingsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// This device's session first, then the others by last use, newest first.
        public var sessions: [Session]
        public var endingSession: SessionID?
        public var preferences: NotificationPreferencesFeature.State
        public var alertTrigger = AlertTrigger.fourPresses
        public var push = PushFeature.State()
        /// Push messages to all devices.
        public var endpoints = PushEndpointsFeature.State()
        public var sources = SourcesFeature.State()
        public var signInSecurity = SignInSecurityFeature.State()
        public var passkeys = PasskeysFeature.State()
        public var administration = AdministrationFeature.State()
        public var blocked: BlockedPeopleFeature.State
        /// The exported file. The front end saves it, and then sends `exportHandedOver`.
        public var exportedFile: Data?
        public var isExporting: Bool
        /// True while the account is being deleted, even if the page was closed in the meantime.
        public var isDeletingAccount: Bool
        /// The typed digits of the deletion code; nil until a code was sent.
        public var deletionCode: String?
        public var isLoading: Bool
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            sessions: [Session] = [], endingSession: SessionID? = nil,
            preferences: NotificationPreferencesFeature.State = .init(),
            blocked: BlockedPeopleFeature.State = .init(),
            exportedFile: Data? = nil, isExporting: Bool = false, isDeletingAccount: Bool = false,
            isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.sessions = sessions
            self.endingSession = endingSession
            self.preferences = preferences
            self.blocked = blocked
            self.exportedFile = exportedFile
            self.isExporting = isExporting
            self.isDeletingAccount = isDeletingAccount
            self.isLoading = isLoading
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// A device may have signed in or changed the account.
        case newsCame
        case sessionsResponse(Result<[Session], UserFacingError>)
        case endSessionButtonTapped(SessionID)
        case endSessionResponse(Result<SessionID, UserFacingError>)
        case alertTriggerLoaded(AlertTrigger)
        case alertTriggerChosen(AlertTrigger)
        case preferences(NotificationPreferencesFeature.Action)
        case push(PushFeature.Action)
        case endpoints(PushEndpointsFeature.Action)
        case sources(SourcesFeature.Action)
        case signInSecurity(SignInSecurityFeature.Action)
        case passkeys(PasskeysFeature.Action)
        case administration(AdministrationFeature.Action)
        case blocked(BlockedPeopleFeature.Action)
        case exportButtonTapped
        case exportResponse(Result<Data, UserFacingError>)
        case exportHandedOver
        case deleteAccountButtonTapped
        case deleteAccountFailed(UserFacingError)
        /// The typed digits have changed. The deletion waits for the button, even after a complete
        /// code.
        case deletionCodeChanged(String)
        case deletionCodeSubmitted
        /// Closes the field of the code. The account stays.
        case deletionCancelled
        case dismissError
        case confirmation(PresentationAction<Confirmation>)
        case delegate(Delegate)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case endSessionConfirmed(SessionID)
            case deleteAccountConfirmed
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The person has confirmed the deletion. The parent carries it out.
            case accountDeletionConfirmed
            case sessionEndConfirmed(SessionID)
        }
    }

    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.settingsClient) private var settingsClient

    private let devices = SignedInDevices()
    private let export = DataExport()
    private let deletion = DeletionSteps()

    fileprivate enum CancelID { case sessions, export, alertTrigger, news }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.preferences, action: \.preferences) { NotificationPreferencesFeature() }
        Scope(state: \.push, action: \.push) {
            PushFeature().dependency(\.effectOwner, .settings)
        }
        Scope(state: \.endpoints, action: \.endpoints) { PushEndpointsFeature() }
        Scope(state: \.sources, action: \.sources) { SourcesFeature() }
        Scope(state: \.signInSecurity, action: \.signInSecurity) { SignInSecurityFeature() }
        Scope(state: \.passkeys, action: \.passkeys) { PasskeysFeature() }
        Scope(state: \.administration, action: \.administration) { AdministrationFeature() }
        Scope(state: \.blocked, action: \.blocked) { BlockedPeopleFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.isLoading = true
                state.error = nil
                return .merge(
                    .send(.preferences(.onAppear)), devices.load(), loadAlertTrigger(),
                    .send(.push(.startStream)), .send(.endpoints(.load)), followNews())
            case .newsCame:
                return .merge(
                    devices.reload(state), .send(.signInSecurity(.newsCame)),
                    .send(.endpoints(.newsCame)))
            case .onDisappear:
                state.isLoading = false
                state.isExporting = false
                state.exportedFile = nil
                state.deletionCode = nil
                return .merge(
                    .send(.preferences(.onDisappear)), .send(.push(.stopStream)),
                    .send(.endpoints(.onDisappear)), .cancel(id: CancelID.sessions),
                    .cancel(id: CancelID.export), .cancel(id: CancelID.alertTrigger),
                    .cancel(id: CancelID.news))
            case .alertTriggerLoaded(let trigger):
                state.alertTrigger = trigger
                return .none
            case .alertTriggerChosen(let trigger):
                state.alertTrigger = trigger
                return .merge(
                    .cancel(id: CancelID.alertTrigger),
                    .run { _ in
                        await settingsClient.setString(
                            value: trigger.rawValue, key: .alertTrigger)
                    })
            case .sessionsResponse, .endSessionButtonTapped, .endSessionResponse,
                .confirmation(.presented(.endSessionConfirmed)):
                return devices.reduce(into: &state, action: action)
            case .exportButtonTapped, .exportResponse, .exportHandedOver:
                return export.reduce(into: &state, action: action)
            case .deleteAccountButtonTapped, .deleteAccountFailed, .deletionCodeChanged,
                .deletionCodeSubmitted, .deletionCancelled,
                .confirmation(.presented(.deleteAccountConfirmed)):
                return deletion.reduce(into: &state, action: action)
            case .preferences(.delegate(.began)), .dismissError:
                state.error = nil
                return .none
            case .preferences(.delegate(.failed(let error))):
                state.error = error
                return .none
            case .push(.statusChanged):
                // Each newly opened page reports its status. Loading then makes the page's lists
                // current.
                return .merge(
                    .send(.endpoints(.load)), devices.reload(state),
                    .send(.signInSecurity(.newsCame)))
            case .preferences, .push, .endpoints, .sources, .signInSecurity, .passkeys,
                .administration, .blocked, .confirmation(.dismiss), .delegate:
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func loadAlertTrigger() -> Effect<Action> {
        .run { send in
            if let trigger = await settingsClient.alertTrigger() {
                await send(.alertTriggerLoaded(trigger))
            }
        }
        .cancellable(id: CancelID.alertTrigger, cancelInFlight: true)
    }

    /// Loads again after news of the account. Ignores the stream's first value, because the screen
    /// loads at the same time.
    private func followNews() -> Effect<Action> {
        .run { [notificationClient] send in
            var known: NotificationID??
            for await items in notificationClient.notificationStream() {
                let newest = items.first { $0.type == .system }?.id
                if let known, known != newest { await send(.newsCame) }
                known = .some(newest)
            }
        }
        .cancellable(id: CancelID.news, cancelInFlight: true)
    }
}

/// The signed-in devices, and the end of the others' sessions.
private struct SignedInDevices: Reducer {
    typealias State = SettingsFeature.State
    typealias Action = SettingsFeature.Action
    private typealias CancelID = SettingsFeature.CancelID

    @Dependency(\.authClient) private var authClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .sessionsResponse(.success(let sessions)):
            state.isLoading = false
            state.sessions = sessions.sorted {
                ($0.isCurrent ? 1 : 0, $0.lastUsedAt) > ($1.isCurrent ? 1 : 0, $1.lastUsedAt)
            }
            return .none
        case .sessionsResponse(.failure(let error)):
            state.isLoading = false
            state.error = error
            return .none
        case .endSessionButtonTapped(let id):
            return askToEndSession(id, &state)
        case .confirmation(.presented(.endSessionConfirmed(let id))):
            guard state.endingSession == nil else { return .none }
            state.endingSession = id
            state.error = nil
            return .send(.delegate(.sessionEndConfirmed(id)))
        case .endSessionResponse(.success(let id)):
            state.endingSession = nil
            state.sessions.removeAll { $0.id == id }
            return .none
        case .endSessionResponse(.failure(let error)):
            state.endingSession = nil
            state.error = error
            return .none
        default:
            return .none
        }
    }

    func load() -> Effect<Action> {
        .run { [authClient] send in
            await send(.sessionsResponse(.userFacing { try await authClient.sessions() }))
        }
        .cancellable(id: CancelID.sessions, cancelInFlight: true)
    }

    /// The person didn't request this load, so a failure is not shown.
    func reload(_ state: State) -> Effect<Action> {
        guard !state.isLoading, state.endingSession == nil else { return .none }
        return .run { [authClient] send in
            guard let sessions = try? await authClient.sessions() else { return }
            await send(.sessionsResponse(.success(sessions)))
        }
        .cancellable(id: CancelID.sessions, cancelInFlight: true)
    }

    private func askToEndSession(_ id: SessionID, _ state: inout State) -> Effect<Action> {
        // Ignores this device's own session. To leave this device, the person signs out, which
        // first sends the queue.
        guard state.endingSession == nil,
            let session = state.sessions.first(where: { $0.id == id }), !session.isCurrent
        else { return .none }
        state.confirmation = .endSession(session)
        return .none
    }
}

/// The export of all data of the account.
private struct DataExport: Reducer {
    typealias State = SettingsFeature.State
    typealias Action = SettingsFeature.Action

    @Dependency(\.userClient) private var userClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .exportButtonTapped:
            guard !state.isExporting else { return .none }
            state.isExporting = true
            state.error = nil
            return .run { [userClient] send in
                await send(.exportResponse(.userFacing { try await userClient.exportAccount() }))
            }
            .cancellable(id: SettingsFeature.CancelID.export)
        case .exportResponse(let result):
            state.isExporting = false
            switch result {
            case .success(let file): state.exportedFile = file
            case .failure(let error): state.error = error
            }
            return .none
        case .exportHandedOver:
            state.exportedFile = nil
            return .none
        default:
            return .none
        }
    }
}

/// The questions before the deletion of the account. The parent carries it out.
private struct DeletionSteps: Reducer {
    typealias State = SettingsFeature.State
    typealias Action = SettingsFeature.Action

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .deleteAccountButtonTapped:
            guard !state.isDeletingAccount else { return .none }
            state.confirmation = .deleteAccount
            return .none
        case .confirmation(.presented(.deleteAccountConfirmed)):
            guard !state.isDeletingAccount else { return .none }
            state.isDeletingAccount = true
            state.deletionCode = nil
            state.error = nil
            return .send(.delegate(.accountDeletionConfirmed))
        case .deleteAccountFailed(let error):
            state.isDeletingAccount = false
            if error.code == UserFacingError.codeNeeded {
                state.deletionCode = ""
            } else {
                state.error = error
            }
            return .none
        case .deletionCodeChanged(let code):
            guard state.deletionCode != nil, !state.isDeletingAccount else { return .none }
            state.deletionCode = SignInRules.code(typed: code)
            return .none
        case .deletionCodeSubmitted:
            guard state.canDeleteWithCode else { return .none }
            state.isDeletingAccount = true
            state.error = nil
            return .send(.delegate(.accountDeletionConfirmed))
        case .deletionCancelled:
            guard !state.isDeletingAccount else { return .none }
            state.deletionCode = nil
            state.error = nil
            return .none
        default:
            return .none
        }
    }
}

extension ConfirmationAlertState<SettingsFeature.Action.Confirmation> {
    static func endSession(_ session: Session) -> Self {
        Self {
            TextState("Sign out \(session.deviceName)?")
        } actions: {
            ButtonState(role: .destructive, action: .endSessionConfirmed(session.id)) {
                TextState("Sign out")
            }
            ButtonState(role: .cancel) { TextState("Stay signed in") }
        } message: {
            TextState(
                """
                That device is signed out and gets no more messages. Anything it has not sent yet \
                can no longer be sent.
                """
            )
        }
    }

    static var deleteAccount: Self {
        Self {
            TextState("Delete your account?")
        } actions: {
            ButtonState(role: .destructive, action: .deleteAccountConfirmed) {
                TextState("Delete everything")
            }
            ButtonState(role: .cancel) { TextState("Keep my account") }
        } message: {
            TextState(
                """
                Your profile, contacts, check-ins, alerts and pings are gone at once, on every \
                device, and can’t be brought back. Your contacts are told that you left. No one \
                will be told if you don’t check in. To come back, you may need a new invitation.
                """
            )
        }
    }
}

extension SettingsFeature {
    public static let alertTriggerTitle = "Calling for help"
    public static let alertTriggerHint = "How the Alert button works on this device."
}

extension SettingsFeature.State {
    public var ownEndpoint: PushEndpoint? {
        endpoints.endpoints?.first { $0.id == push.status?.endpoint }
    }
    public var deleteWords: String { isDeletingAccount ? "Deleting …" : "Delete account" }
    public var deletionDigits: String { deletionCode ?? "" }
    public var canDeleteWithCode: Bool {
        !isDeletingAccount && deletionCode.flatMap { try? SignInRules.code($0) } != nil
    }
    public var exportWords: String { isExporting ? "Preparing …" : "Export my data" }
}

public let exportName = "lifesignal-export.json"
