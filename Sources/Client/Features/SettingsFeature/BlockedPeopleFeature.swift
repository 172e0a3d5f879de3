import Clients
import ComposableArchitecture
import Domain

/// The people who can't add, ping or see the user.
@Reducer
public struct BlockedPeopleFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Newest first; nil until the server has answered.
        public var people: [BlockedPerson]?
        public var unblocking: UserID?
        public var error: UserFacingError?

        public init(
            people: [BlockedPerson]? = nil, unblocking: UserID? = nil, error: UserFacingError? = nil
        ) {
            self.people = people
            self.unblocking = unblocking
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case blockedResponse(Result<[BlockedPerson], UserFacingError>)
        case unblockButtonTapped(UserID)
        case unblockResponse(UserID, UserFacingError?)
        case retryButtonTapped
        case dismissError
    }

    @Dependency(\.contactClient) private var contactClient

    private enum CancelID { case load }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear, .retryButtonTapped:
                return load(&state)
            case .onDisappear:
                return .cancel(id: CancelID.load)
            case .blockedResponse(.success(let people)):
                state.people = people.sorted { $0.blockedAt > $1.blockedAt }
                return .none
            case .blockedResponse(.failure(let error)):
                state.error = error
                return .none
            case .unblockButtonTapped(let id):
                guard state.unblocking == nil,
                    state.people?.contains(where: { $0.id == id }) == true
                else { return .none }
                state.unblocking = id
                state.error = nil
                return .run { send in
                    do {
                        try await contactClient.unblock(id: id)
                        await send(.unblockResponse(id, nil))
                    } catch {
                        await send(.unblockResponse(id, UserFacingError(catching: error)))
                    }
                }
            case .unblockResponse(let id, let error):
                state.unblocking = nil
                // "not-found" means that another device has unblocked the person, as the user
                // wanted.
                if let error, !error.has(.notFound) {
                    state.error = error
                } else {
                    state.people?.removeAll { $0.id == id }
                }
                return .none
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.people != nil else { return load(&state) }
                state.error = nil
                return .none
            }
        }
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.error = nil
        return .run { [contactClient] send in
            await send(.blockedResponse(.userFacing { try await contactClient.blocked() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }
}

extension BlockedPeopleFeature.State {
    public func unblockWords(_ person: UserID) -> String {
        unblocking == person ? "Unblocking …" : "Unblock"
    }
}
