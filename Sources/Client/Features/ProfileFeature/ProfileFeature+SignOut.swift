import Clients
import ComposableArchitecture
import Domain

/// Signing out: asked first, and never at the price of something that nobody has been told yet.
extension ProfileFeature {
    func signOut(_ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            do {
                try await authClient.signOut()
                await send(.signOutSucceeded)
            } catch {
                let waiting = await connectivityClient.status().first { _ in true }?.waiting ?? []
                await send(.signOutFailed(UserFacingError(catching: error), waiting: waiting))
            }
        }
        .cancellable(id: CancelID.command)
    }

    func signOutDiscarding(_ state: inout State) -> Effect<Action> {
        guard state.begin() else { return .none }
        return .run { send in
            await authClient.signOutDiscardingQueue()
            await send(.signOutSucceeded)
        }
        .cancellable(id: CancelID.command)
    }

    func signOutFailed(
        _ error: UserFacingError, waiting: [WaitingAction], _ state: inout State
    ) -> Effect<Action> {
        guard !waiting.isEmpty else {
            state.fail(error)
            return .none
        }
        state.isLoading = false
        state.waiting = waiting
        state.confirmSignOut = .discard(waiting)
        return .none
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
