import Clients
import ComposableArchitecture
import Domain

/// Commands of the settings page. They run here, because closing the page cancels what it began.
extension ProfileFeature {
    func deleteAccount(_ state: inout State) -> Effect<Action> {
        guard !state.isDeletingAccount else { return .none }
        state.isDeletingAccount = true
        return .run { send in
            do {
                try await userClient.deleteAccount()
                await send(.accountDeletionEnded(nil))
            } catch {
                await send(.accountDeletionEnded(UserFacingError(catching: error)))
            }
        }
    }

    func accountDeletionEnded(_ error: UserFacingError?, _ state: inout State) -> Effect<Action> {
        state.isDeletingAccount = false
        guard let error else { return .send(.delegate(.accountDeleted)) }
        guard state.settings == nil else {
            return .send(.destination(.presented(.settings(.deleteAccountFailed(error)))))
        }
        state.error = error
        return .none
    }

    func endSession(_ id: SessionID) -> Effect<Action> {
        .run { send in
            let result = await Result.userFacing {
                try await authClient.endSession(id: id)
                return id
            }
            await send(.sessionEndingEnded(result))
        }
    }

    func sessionEndingEnded(
        _ result: Result<SessionID, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        guard state.settings == nil else {
            return .send(.destination(.presented(.settings(.endSessionResponse(result)))))
        }
        if case .failure(let error) = result { state.error = error }
        return .none
    }
}
