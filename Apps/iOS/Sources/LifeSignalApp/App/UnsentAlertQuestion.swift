import Clients
import Features
import SwiftUI

/// Asks about an alert that was not sent before the user was signed out. It stays on the screen
/// until the user answers, or until the alert is sent without an answer.
struct UnsentAlertQuestion: View {
    let alert: UnsentAlert
    let answer: @MainActor (_ isToBeSent: Bool) -> Void

    var body: some View {
        Card(tone: .critical) {
            Heading("Your alert was not sent")
            Text("You raised it ") + .when(alert.raisedAt)
                + Text(". You were signed out before it could be sent.")
            Text("Without an answer it is sent in ")
                + .countdown(to: alert.sendsAt, from: alert.raisedAt) + Text(verbatim: ".")
            WideButton("Send it now", kind: .danger) { answer(true) }
            WideButton("Don’t send it") { answer(false) }
        }
        .announced("Your alert was not sent")
    }
}
