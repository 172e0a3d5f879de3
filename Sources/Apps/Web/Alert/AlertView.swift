import Features
import LivePages

extension AlertFeature {
    /// The notices on Home while no alert is on: an alert has just ended, or its end has not been
    /// sent yet.
    static func view(_ state: State) -> HTML<Action> {
        group {
            successBanner(state.endedWords).key("alert-ended")
            waitingBanner(state.waitingWords).key("alert-waiting")
            announcement(.assertive, .class("notice")) { endElsewhere(state) }.key("end-notice")
            if state.endElsewhere == nil {
                errorNotice(state.error, dismiss: .dismissError).key("alert-error")
            }
        }
    }

    /// The alert button above the tabs, at every screen size. The script counts the presses and
    /// sends the alert, so a lost connection loses nothing.
    static func bar<Parent>(_ state: State) -> HTML<Parent> {
        guard !state.isOnOrBeingRaised else { return .empty }
        return div(.class("alert-bar"), .role("region"), .label("Call for help")) {
            button(
                .type("button"), .class("alert-button"), .keptOffline(.alert), .label("Alert"),
                .described(by: "alert-hint")
            ) {
                icon(.alert)
                span { "Alert" }
                small(.id("alert-hint")) { pressHint }
            }
        }
        .key("alert-bar")
    }
}
