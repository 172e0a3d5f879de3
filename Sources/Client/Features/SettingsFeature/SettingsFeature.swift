import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The devices that are signed in, what is told, a copy of everything, and leaving.
@Reducer
public struct SettingsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// This device first, then the one that was used last.
        public var sessions: [Session]
        /// The session that is being ended.
        public var endingSession: SessionID?
        /// Types of notification that are muted.
        public var preferences: NotificationPreferencesFeature.State
        /// Messages to this device.
        public var push = PushFeature.State()
        /// Messages to all devices.
        public var endpoints = PushEndpointsFeature.State()
        public var blocked: BlockedPeopleFeature.State
        /// The file for the front end to hand over; it says so with `exportHandedOver`.
        public var exportedFile: Data?
        /// The export is on its way.
        public var isExporting: Bool
        /// The deletion is on its way, also when the page was left meanwhile.
        public var isDeletingAccount: Bool
        /// The list of sessions is on its way.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The question before a session or the account goes.
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
        case sessionsResponse(Result<[Session], UserFacingError>)
        case endSessionButtonTapped(SessionID)
        case endSessionResponse(Result<SessionID, UserFacingError>)
        case preferences(NotificationPreferencesFeature.Action)
        case push(PushFeature.Action)
        case endpoints(PushEndpointsFeature.Action)
        case blocked(BlockedPeopleFeature.Action)
        case exportButtonTapped
        case exportResponse(Result<Data, UserFacingError>)
        case exportHandedOver
        case deleteAccountButtonTapped
        case deleteAccountFailed(UserFacingError)
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
            /// The person has said yes. Whoever shows the page runs it to its end.
            case accountDeletionConfirmed
            case sessionEndConfirmed(SessionID)
        }
    }

    @Dependency(\.authClient) var authClient
    @Dependency(\.userClient) var userClient

    private enum CancelID { case sessions, export }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.preferences, action: \.preferences) { NotificationPreferencesFeature() }
        Scope(state: \.push, action: \.push) {
            PushFeature().dependency(\.effectOwner, .settings)
        }
        Scope(state: \.endpoints, action: \.endpoints) { PushEndpointsFeature() }
        Scope(state: \.blocked, action: \.blocked) { BlockedPeopleFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.isLoading = true
                state.error = nil
                return .merge(
                    .send(.preferences(.onAppear)), loadSessions(), .send(.push(.startStream)),
                    .send(.endpoints(.load)))
            case .onDisappear:
                state.isLoading = false
                state.isExporting = false
                state.exportedFile = nil
                return .merge(
                    .send(.preferences(.onDisappear)), .send(.push(.stopStream)),
                    .send(.endpoints(.onDisappear)), .cancel(id: CancelID.sessions),
                    .cancel(id: CancelID.export))
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
            case .exportButtonTapped:
                guard !state.isExporting else { return .none }
                state.isExporting = true
                state.error = nil
                return .run { send in
                    await send(
                        .exportResponse(.userFacing { try await userClient.exportAccount() }))
                }
                .cancellable(id: CancelID.export)
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
            case .deleteAccountButtonTapped:
                guard !state.isDeletingAccount else { return .none }
                state.confirmation = .deleteAccount
                return .none
            case .confirmation(.presented(.deleteAccountConfirmed)):
                guard !state.isDeletingAccount else { return .none }
                state.isDeletingAccount = true
                state.error = nil
                return .send(.delegate(.accountDeletionConfirmed))
            case .deleteAccountFailed(let error):
                state.isDeletingAccount = false
                state.error = error
                return .none
            case .preferences(.delegate(.began)), .dismissError:
                state.error = nil
                return .none
            case .preferences(.delegate(.failed(let error))):
                state.error = error
                return .none
            case .push(.statusChanged):
                // Each page that is opened reports: what it shows is not older than itself.
                return .send(.endpoints(.load))
            case .preferences, .push, .endpoints, .blocked, .confirmation(.dismiss), .delegate:
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func loadSessions() -> Effect<Action> {
        .run { send in
            await send(.sessionsResponse(.userFacing { try await authClient.sessions() }))
        }
        .cancellable(id: CancelID.sessions, cancelInFlight: true)
    }

    private func askToEndSession(_ id: SessionID, _ state: inout State) -> Effect<Action> {
        // This device is left by signing out, which first sends what waits.
        guard state.endingSession == nil,
            let session = state.sessions.first(where: { $0.id == id }), !session.isCurrent
        else { return .none }
        state.confirmation = .endSession(session)
        return .none
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
                That device is signed out and told nothing more. What it has not sent yet can’t be \
                sent from there any more.
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
                device, and can’t be brought back. Your contacts are told \
                that you left. Nobody will be told any more when you do not check in.
                """
            )
        }
    }
}
