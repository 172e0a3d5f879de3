import Clients
import ComposableArchitecture
import Domain

/// The user's muted types, shown in the settings and in the notification centre.
@Reducer
public struct NotificationPreferencesFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var preferences: NotificationPreferences
        /// False before the preferences have loaded. A press could mute what is muted already.
        public var isKnown: Bool
        public var isLoading: Bool
        public var isWaitingToBeSent: Bool

        public init(
            preferences: NotificationPreferences = .standard, isKnown: Bool = false,
            isLoading: Bool = false, isWaitingToBeSent: Bool = false
        ) {
            self.preferences = preferences
            self.isKnown = isKnown
            self.isLoading = isLoading
            self.isWaitingToBeSent = isWaitingToBeSent
        }

        public var canMute: Bool { isKnown && !isLoading }

        /// Every type except alerts.
        public var mutableTypes: [NotificationType] {
            NotificationType.allCases.filter { (try? NotificationPreferences(muted: [$0])) != nil }
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case preferencesResponse(Result<NotificationPreferences, UserFacingError>)
        case muteToggled(NotificationType)
        /// The answer to a change, with the requested preferences, which are shown while they are
        /// queued.
        case updateResponse(
            Result<Submission<NotificationPreferences>, UserFacingError>,
            asked: NotificationPreferences)
        case waitingPreferencesSent
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// A request has started, so earlier errors are out of date.
            case began
            case failed(UserFacingError)
        }
    }

    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case load, update, waiting }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .run { send in
                    await send(
                        .preferencesResponse(
                            .userFacing { try await notificationClient.preferences() }))
                }
                .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
            case .onDisappear:
                return .cancel(id: effectOwner(CancelID.load))
            case .preferencesResponse(.success(let preferences)):
                state.preferences = preferences
                state.isKnown = true
                return .none
            case .muteToggled(let type):
                guard state.canMute else { return .none }
                return mute(type, &state)
            case .updateResponse(.success(let submission), let asked):
                state.isLoading = false
                state.preferences = submission.confirmed ?? asked
                state.isWaitingToBeSent = submission.isWaiting
                guard submission.isWaiting else {
                    return .cancel(id: effectOwner(CancelID.waiting))
                }
                return .run { send in
                    await connectivityClient.untilSent(.updatePreferences)
                    await send(.waitingPreferencesSent)
                }
                .cancellable(id: effectOwner(CancelID.waiting), cancelInFlight: true)
            case .waitingPreferencesSent:
                state.isWaitingToBeSent = false
                return .none
            case .updateResponse(.failure(let error), _):
                state.isLoading = false
                return .send(.delegate(.failed(error)))
            case .preferencesResponse(.failure(let error)):
                return .send(.delegate(.failed(error)))
            case .delegate:
                return .none
            }
        }
    }

    private func mute(_ type: NotificationType, _ state: inout State) -> Effect<Action> {
        do {
            let asked = try NotificationPreferences(
                muted: state.preferences.muted.symmetricDifference([type]))
            state.isLoading = true
            return .merge(
                .send(.delegate(.began)),
                // Cancels loading. An older answer would restore the old choice.
                .cancel(id: effectOwner(CancelID.load)),
                .run { send in
                    await send(
                        .updateResponse(
                            .userFacing {
                                try await notificationClient.updatePreferences(
                                    preferences: asked, only: type)
                            }, asked: asked))
                }
                .cancellable(id: effectOwner(CancelID.update))
            )
        } catch {
            return .send(.delegate(.failed(UserFacingError(catching: error))))
        }
    }
}

extension NotificationPreferencesFeature.State {
    public var waitingWords: String? {
        isWaitingToBeSent ? "This choice is waiting to be sent." : nil
    }
}
