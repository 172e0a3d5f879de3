import Clients
import ComposableArchitecture
import Domain
import Foundation

/// People without LifeSignal, asked by one message to be responders.
@Reducer
public struct InvitationsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var invitations: [Invitation]
        public var name: String
        /// A phone number or an e-mail address, as typed.
        public var recipient: String
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?

        public init(
            invitations: [Invitation] = [], name: String = "", recipient: String = "",
            isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.invitations = invitations
            self.name = name
            self.recipient = recipient
            self.isLoading = isLoading
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// A notification came, perhaps of an answer.
        case newsCame
        case loaded(Result<[Invitation], UserFacingError>)
        case nameChanged(String)
        case recipientChanged(String)
        case inviteButtonTapped
        case invited(Result<[Invitation], UserFacingError>)
        case withdrawButtonTapped(InvitationID)
        case withdrawn(Result<[Invitation], UserFacingError>)
        case dismissError
    }

    private enum CancelID { case load, stream }

    @Dependency(\.invitationClient) var invitationClient
    @Dependency(\.notificationClient) var notificationClient
    @Dependency(\.effectOwner) var effectOwner

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(load(), listen())
            case .newsCame:
                return load()
            case .onDisappear:
                return .merge(
                    .cancel(id: effectOwner(CancelID.load)),
                    .cancel(id: effectOwner(CancelID.stream)))
            case .loaded(let result):
                // Nobody has asked for this: a failure is not shown.
                if case .success(let invitations) = result, !state.isLoading {
                    state.invitations = invitations
                }
                return .none
            case .nameChanged(let name):
                guard !state.isLoading else { return .none }
                state.name = name
                return .none
            case .recipientChanged(let recipient):
                guard !state.isLoading else { return .none }
                state.recipient = recipient
                return .none
            case .inviteButtonTapped:
                return invite(&state)
            case .withdrawButtonTapped(let id):
                return change(&state, Action.withdrawn) { try await $0.withdraw(id) }
            case .invited(.success(let invitations)):
                (state.name, state.recipient) = ("", "")
                return finish(&state, with: invitations)
            case .withdrawn(.success(let invitations)):
                return finish(&state, with: invitations)
            case .invited(.failure(let error)), .withdrawn(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    private func load() -> Effect<Action> {
        .run { [invitationClient] send in
            await send(.loaded(.userFacing { try await invitationClient.invitations() }))
        }
        .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
    }

    private func listen() -> Effect<Action> {
        .run { [notificationClient] send in
            var known: NotificationID?
            for await items in notificationClient.notificationStream() {
                let newest = items.first?.id
                if newest != known { await send(.newsCame) }
                known = newest
            }
        }
        .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
    }

    private func invite(_ state: inout State) -> Effect<Action> {
        do {
            let name = try InvitationRules.name(state.name)
            let recipient = try InvitationRecipient(typed: state.recipient)
            return change(&state, Action.invited) {
                _ = try await $0.invite(name: name, recipient: recipient)
            }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func finish(
        _ state: inout State, with invitations: [Invitation]
    ) -> Effect<Action> {
        state.isLoading = false
        state.invitations = invitations
        return .none
    }

    /// Runs to its end when the screen goes: the user has decided.
    private func change(
        _ state: inout State,
        _ action: @escaping @Sendable (Result<[Invitation], UserFacingError>) -> Action,
        _ work: @escaping @Sendable (InvitationClient) async throws -> Void
    ) -> Effect<Action> {
        guard !state.isLoading else { return .none }
        state.isLoading = true
        state.error = nil
        return .run { [invitationClient] send in
            await send(
                action(
                    .userFacing {
                        try await work(invitationClient)
                        return try await invitationClient.invitations()
                    }))
        }
    }
}
