import Clients
import ComposableArchitecture
import Domain
import Foundation

extension AlertState where Action == AlertFeature.Action {
    /// The question for people who can't hold a button for three seconds.
    static func endAlert(tellsSomebody: Bool) -> AlertState {
        AlertState {
            TextState("End your alert?")
        } actions: {
            ButtonState(role: .destructive, action: .alertDeactivationConfirmed) {
                TextState("I am safe, end it")
            }
            ButtonState(role: .cancel) { TextState("Keep the alert") }
        } message: {
            TextState(
                """
                \(tellsSomebody ? "Your responders will be told that it has ended. " : "")It ends \
                after three seconds; until then you can go back.
                """
            )
        }
    }
}
