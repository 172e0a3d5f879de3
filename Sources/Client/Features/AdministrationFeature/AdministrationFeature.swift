import Clients
import ComposableArchitecture
import Domain
import Foundation

/// What administrators of the server did with the account, and what the person can stop
/// (product.md, "Administrators").
@Reducer
public struct AdministrationFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The newest first; nil until the server has answered.
        public var acts: [AdminAct]?
        /// nil unless the account is locked.
        public var lockedAt: Date?
        /// A change of the phone number that hasn't taken effect; nil without one.
        public var move: NumberMove?
        /// The announced maintenance; nil without one.
        public var maintenance: Maintenance?
        public var isStopping: Bool
        public var error: UserFacingError?

        public init(
            acts: [AdminAct]? = nil, lockedAt: Date? = nil, move: NumberMove? = nil,
            maintenance: Maintenance? = nil, isStopping: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.acts = acts
            self.lockedAt = lockedAt
            self.move = move
            self.maintenance = maintenance
            self.isStopping = isStopping
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case profileChanged(UserProfile)
        case loaded(Result<[AdminAct], UserFacingError>)
        case retryButtonTapped
        case stopMoveButtonTapped
        case stopMoveResponse(Result<UserProfile, UserFacingError>)
        case dismissError
    }

    @Dependency(\.administrationClient) private var administrationClient
    @Dependency(\.userClient) private var userClient

    private enum CancelID { case load, profiles }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(load(&state), followProfile())
            case .retryButtonTapped:
                return load(&state)
            case .onDisappear:
                return .merge(.cancel(id: CancelID.load), .cancel(id: CancelID.profiles))
            case .profileChanged(let profile):
                show(profile, &state)
                return .none
            case .loaded(.success(let acts)):
                state.acts = acts
                return .none
            case .loaded(.failure(let error)):
                state.error = error
                return .none
            case .stopMoveButtonTapped:
                guard state.move != nil, !state.isStopping else { return .none }
                state.isStopping = true
                state.error = nil
                return .run { [administrationClient] send in
                    await send(
                        .stopMoveResponse(
                            .userFacing { try await administrationClient.stopNumberMove() }))
                }
            case .stopMoveResponse(.success(let profile)):
                state.isStopping = false
                show(profile, &state)
                return .none
            case .stopMoveResponse(.failure(let error)):
                state.isStopping = false
                state.error = error
                return .none
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.acts != nil else { return load(&state) }
                state.error = nil
                return .none
            }
        }
    }

    private func show(_ profile: UserProfile, _ state: inout State) {
        state.lockedAt = profile.lockedAt
        state.move = profile.numberMove
        state.maintenance = profile.maintenance
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.error = nil
        return .run { [administrationClient] send in
            await send(.loaded(.userFacing { try await administrationClient.acts() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    private func followProfile() -> Effect<Action> {
        .run { [userClient] send in
            for await profile in userClient.profileStream() {
                await send(.profileChanged(profile))
            }
        }
        .cancellable(id: CancelID.profiles, cancelInFlight: true)
    }
}

/// What the first page says about the account's lock, a change of its number, and maintenance.
public struct AccountNotices: Equatable, Sendable {
    public var isLocked = false
    public var move: NumberMove?
    public var maintenance: Maintenance?

    public init() {}

    public init(_ profile: UserProfile) {
        isLocked = profile.lockedAt != nil
        move = profile.numberMove
        maintenance = profile.maintenance
    }
}

extension AdministrationFeature {
    public static let title = "People who run this server"
    public static let hint = "What they did with your account, and why."
    public static let noActs = "Nothing so far."
    public static let locked =
        """
        Your account is locked. You can’t invite or ask people, or change your profile, but you \
        can remove your emergency note. Check-ins and alerts work as before.
        """
    public static let moveTitle = "Your phone number will change to"
    public static let moveHint = "If you did not ask for that, keep your number."
    public static let moveInSettings = "To keep your number, open Settings in your profile."
    public static let maintenanceTitle = "Maintenance of the server"
}

extension AdministrationFeature.State {
    public var stopWords: String { isStopping ? "Stopping …" : "Keep my number" }
}

extension AdminAct.Kind {
    public var words: String {
        switch self {
        case .lock: "Account locked"
        case .unlock: "Account unlocked"
        case .delete: "Account deleted"
        case .announce: "Announcement"
        case .move: "Change of the phone number"
        case .test: "Test message"
        case .export: "Export of your data"
        case .importPerson: "Moved here from another server"
        case .invite: "Link that signs in your number"
        case .revoke: "Sign-in link revoked"
        case .rotateKey: "New key of the server"
        case .forgetKeys: "Former keys of the server ended"
        case .unknown: "Another act"
        }
    }
}
