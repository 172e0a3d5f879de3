import Clients
import ComposableArchitecture
import Domain

/// Commands of the settings page. They run here, because closing the page cancels what it began.
extension ProfileFeature {
    func reduceSettings(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .settings(.presented(.delegate(.accountDeletionConfirmed))):
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
        case .accountDeletionEnded(nil):
            state.isDeletingAccount = false
            return .send(.delegate(.accountDeleted))
        case .accountDeletionEnded(let error?):
            state.isDeletingAccount = false
            guard state.settings == nil else {
                return .send(.settings(.presented(.deleteAccountFailed(error))))
            }
            state.error = error
            return .none
        case .settings(.presented(.delegate(.sessionEndConfirmed(let id)))):
            return .run { send in
                let result = await Result.userFacing {
                    try await authClient.endSession(id: id)
                    return id
                }
                await send(.sessionEndingEnded(result))
            }
        case .sessionEndingEnded(let result):
            guard state.settings == nil else {
                return .send(.settings(.presented(.endSessionResponse(result))))
            }
            if case .failure(let error) = result { state.error = error }
            return .none
        default:
            return .none
        }
    }
}
