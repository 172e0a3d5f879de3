import Clients
import Features
import SwiftUI

/// Asks what to do with an alert that was unsent when the user was signed out. The question stays
/// until the user answers it, or until the alert is sent without an answer.
struct UnsentAlertQuestion: View {
    let alert: UnsentAlert
    let answer: @MainActor (_ isToBeSent: Bool) -> Void

    var body: some View {
        Card(tone: .critical) {
            Heading("Your alert was not sent")
            Text("You raised it ") + .when(onDevice: alert.raisedAt)
                + Text(". You were signed out before it could be sent.")
            Text("Without an answer it is sent in ")
                + .countdown(to: alert.sendsAt, from: alert.raisedAt) + Text(verbatim: ".")
            WideButton("Send it now", kind: .danger) { answer(true) }
            WideButton("Don’t send it") { answer(false) }
        }
        .announced("Your alert was not sent")
    }
}
