import Clients
import Domain
import Features
import LivePages

/// Asks about an alert that was not sent before the user was signed out. The dialog can't be
/// dismissed without an answer.
/// - Parameter ids: the alerts that the script removes from the browser after "Don’t send it".
func unsentAlertQuestion(_ alert: UnsentAlert?, ids: [AlertID]) -> HTML<AppFeature.Action> {
    guard let alert else { return .empty }
    return dialog(
        .modal, .class("question"), .role("alertdialog"), .labelled(by: "unsent-title"),
        .described(by: "unsent-message")
    ) {
        alarms()
        h2(.id("unsent-title")) { "Your alert was not sent" }
        div(.id("unsent-message"), .class("stack")) {
            p {
                "You raised it "
                moment(alert.raisedAt, .when)
                ". You were signed out before it could be sent."
            }
            p {
                "Without an answer it is sent in "
                moment(alert.sendsAt, .countdown)
                "."
            }
        }
        div(.class("stack")) {
            button(.type("button"), .class("wide danger")) { "Send it now" }
                .onTap(.unsentAlertAnswered(isToBeSent: true))
            button(.type("button"), .class("wide"), .forgets(ids)) { "Don’t send it" }
                .onTap(.unsentAlertAnswered(isToBeSent: false))
        }
    }
    .key("unsent-alert")
}
