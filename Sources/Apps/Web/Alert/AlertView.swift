import Features
import LivePages

extension AlertFeature {
    /// The view on Home while no alert is on: an alert that has just ended, an end that waits.
    static func view(_ state: State) -> HTML<Action> {
        group {
            successBanner(state.endedText).key("alert-ended")
            waitingBanner(state.waitingText).key("alert-waiting")
            errorNotice(state.error, dismiss: .dismissError).key("alert-error")
        }
    }

    /// Above the tabs at every size. The script counts the presses and sends the alert, so that no
    /// connection can lose either.
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
