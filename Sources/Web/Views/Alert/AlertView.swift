import Domain
import Features

extension AlertFeature {
    /// The button that fills by quarters.
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "alert-title")) {
            h2(.id("alert-title")) { "Call for help" }
            if state.hasResponders == false {
                p { "You have no responders yet: nobody would be told." }
                actionButton("Add a responder", .scan, .addResponderButtonTapped)
            } else {
                p { "Press the button four times. All your responders are told." }
            }
            div(.fill(state.activationProgress)) { button(state) }.key("fill")
            announcement(.polite, .class("unseen")) { state.taps == 0 ? "" : "\(state.taps) of \(State.tapsNeeded). Without another press it starts over." }
                .key("told")
            waitingBanner(state.waitingText).key("waiting")
            errorNotice(state.error, dismiss: .dismissError).key("error")
        }
        .key("alert")
    }

    /// Each press of it counts, however far behind the page is: its own part is the same from the first press to the last.
    private static func button(_ state: State) -> HTML<Action> {
        Web.button(.type("button"), .class("alert-button"), .keptOffline(.alert), .label("Alert")) {
            icon(.alert)
            span { "Alert" }
            small { state.taps == 0 ? "Press 4 times" : "\(state.taps) of \(State.tapsNeeded)" }.key("taps")
        }
        .disabled(!state.canActivateAlert)
        .onTap(.alertButtonTapped)
        .key("alert-button")
    }
}

extension AlertFeature.State {
    static let tapsNeeded = Int((1 / AlertRules.tap).rounded())

    /// How many of the taps that raise an alert have been made.
    var taps: Int { Int((activationProgress / AlertRules.tap).rounded()) }

    var isOnOrBeingRaised: Bool { isAlertActive || isActivatingAlert }
}
