import Clients
import ComposableArchitecture
import Domain
import Foundation

typealias AlertQuestion = AlertState<AlertFeature.Action>

extension AlertQuestion {
    static let raiseAgain = AlertState {
        TextState("Call for help again?")
    } actions: {
        ButtonState(role: .destructive, action: .raiseAgainConfirmed) {
            TextState("Call for help")
        }
        ButtonState(role: .cancel) { TextState("Not now") }
    } message: {
        TextState("All your responders are alerted.")
    }

    static func signOut(_ end: EndElsewhere) -> AlertState {
        AlertState {
            TextState("Sign that device out?")
        } actions: {
            ButtonState(role: .destructive, action: .signOutElsewhereConfirmed) {
                TextState("Sign it out")
            }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState(
                """
                \(end.title). It is signed out and gets no more messages. Anything it has not sent \
                yet can no longer be sent.
                """
            )
        }
    }

    /// The question after a single press, for people who can't press four times in time.
    /// - Parameter tellsSomebody: true if the person has responders; nil before that is known.
    static func raiseAlert(tellsSomebody: Bool?) -> AlertState {
        AlertState {
            TextState("Call for help?")
        } actions: {
            ButtonState(role: .destructive, action: .alertActivationConfirmed) {
                TextState("Call for help now")
            }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState(
                tellsSomebody == false
                    ? "You have no responders: no one will be told."
                    : "Your responders are alerted at once, or once there is a connection.")
        }
    }

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
