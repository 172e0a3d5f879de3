import Clients
import ComposableArchitecture
import Foundation

extension ConfirmationAlertState<ProfileFeature.Action.SignOutConfirmation> {
    static func signOut(_ message: String) -> Self {
        Self {
            TextState("Sign out?")
        } actions: {
            ButtonState(role: .destructive, action: .signOutConfirmed) { TextState("Sign out") }
            ButtonState(role: .cancel) { TextState("Stay signed in") }
        } message: {
            TextState(message)
        }
    }

    static func discard(_ waiting: [WaitingAction]) -> Self {
        Self {
            TextState("Not everything was sent")
        } actions: {
            ButtonState(
                role: .destructive, action: .discardConfirmed(Set(waiting.map(\.id)))
            ) {
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
