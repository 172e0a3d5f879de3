import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The user's own open alert in a few lines, for where its screen is not; nothing without one.
struct OwnAlertNotice: View {
    let store: StoreOf<AlertFeature>
    /// Those whom the person can call.
    let responders: [ContactData]
    /// Leads to the screen of the alert.
    let show: @MainActor () -> Void
    /// Ends an alert about a missed check-in.
    let checkIn: @MainActor () -> Void

    var body: some View {
        if store.isOnOrBeingRaised {
            Card(tone: .critical) {
                AlertTitle(words: "Your alert is on", start: store.alertStartTime)
                if let alert = store.currentAlert {
                    HelpComing(alert: alert, store: store, responders: responders)
                }
                if let words = store.waitingText { Text(words) }
                WideButton("Go to your alert", kind: .primary, action: show)
            }
            .announced("Your alert is on")
        }
        MissedCheckIn(store: store, responders: responders, checkIn: checkIn)
    }
}

/// A deadline has passed: who was told of it, and how it ends. Nothing without one.
struct MissedCheckIn: View {
    let store: StoreOf<AlertFeature>
    let responders: [ContactData]
    var checkIn: (@MainActor () -> Void)?

    var body: some View {
        if let alert = store.missedCheckIn {
            Card(tone: .critical) {
                AlertTitle(words: "You missed your check-in", start: alert.startTime)
                HelpComing(alert: alert, store: store, responders: responders)
                if let checkIn {
                    WideButton(
                        "I am fine: check in", .check, kind: .primary, action: checkIn)
                }
            }
            .announced("You missed your check-in")
        }
    }
}

struct AlertTitle: View {
    let words: String
    let start: Date?

    var body: some View {
        HStack(spacing: 8) {
            Symbol.alert.picture
            Text(words).bold()
            if let start { Text.stopwatch(since: start) }
        }
    }
}

/// Told at once to somebody who waits for it, with a call to the helper.
struct HelpComing: View {
    let alert: AlertRecord
    let store: StoreOf<AlertFeature>
    let responders: [ContactData]

    var body: some View {
        if let acknowledgement = alert.acknowledgement {
            let words = acknowledgement.words(isMine: false)
            Banner(.fine, .check) {
                Text(words).bold() + Text(verbatim: " · ") + .since(acknowledgement.time)
            }
            .announced(words)
            if let number = acknowledgement.number(among: responders) {
                CallLink(
                    number: number, name: ProfileRules.displayName(acknowledgement.name))
            }
        } else if store.hasResponders == false {
            Text(store.noAnswerWords).bold()
            WideButton("Add a responder", .scan) { store.send(.addResponderButtonTapped) }
        } else {
            Text(store.noAnswerWords)
        }
    }
}
