import Clients
import ComposableArchitecture
import Domain

/// Signing out: asked first, and never at the price of something that nobody has been told yet.
extension ProfileFeature {
    func reduceSignOut(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .signOutButtonTapped:
            guard !state.isLoading else { return .none }
            state.confirmSignOut = .signOut
            return .none
        case .confirmSignOut(.presented(.signOutConfirmed)):
            guard state.begin() else { return .none }
            return .run { send in
                do {
                    try await authClient.signOut()
                    await send(.signOutSucceeded)
                } catch {
                    let waiting =
                        await connectivityClient.status().first { _ in true }?.waiting ?? []
                    await send(.signOutFailed(UserFacingError(catching: error), waiting: waiting))
                }
            }
            .cancellable(id: CancelID.command)
        case .confirmSignOut(.presented(.discardConfirmed)):
            guard state.begin() else { return .none }
            return .run { send in
                await authClient.signOutDiscardingQueue()
                await send(.signOutSucceeded)
            }
            .cancellable(id: CancelID.command)
        case .signOutFailed(let error, let waiting) where waiting.isEmpty:
            state.fail(error)
            return .none
        case .signOutFailed(_, let waiting):
            state.isLoading = false
            state.waiting = waiting
            state.confirmSignOut = .discard(waiting)
            return .none
        case .signOutSucceeded:
            state.isLoading = false
            return .send(.delegate(.signedOut))
        default:
            return .none
        }
    }
}

extension ConfirmationAlertState<ProfileFeature.Action.SignOutConfirmation> {
    static var signOut: Self {
        Self {
            TextState("Sign out?")
        } actions: {
            ButtonState(role: .destructive, action: .signOutConfirmed) { TextState("Sign out") }
            ButtonState(role: .cancel) { TextState("Stay signed in") }
        } message: {
            TextState(
                """
                This device forgets your profile, contacts and history. Your deadline keeps \
                running: sign in again in time to check in.
                """
            )
        }
    }

    static func discard(_ waiting: [WaitingAction]) -> Self {
        Self {
            TextState("Not everything was sent")
        } actions: {
            ButtonState(role: .destructive, action: .discardConfirmed) {
                TextState("Discard and sign out")
            }
            ButtonState(role: .cancel) { TextState("Wait") }
        } message: {
            TextState(
                """
                Still waiting to be sent: \(waiting.inWords). If you sign out now, it is \
                discarded and no one will know about it.
                """
            )
        }
    }
}
