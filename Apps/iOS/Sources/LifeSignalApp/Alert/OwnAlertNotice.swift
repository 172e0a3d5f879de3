import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The user's own open alert in a few lines, for screens that don't show the whole alert. Empty if
/// no alert is open.
struct OwnAlertNotice: View {
    let store: StoreOf<AlertFeature>
    let responders: [ContactData]
    var emergency: EmergencyNumber?
    let show: @MainActor () -> Void
    /// Checks in, which ends an alert about a missed check-in.
    let checkIn: @MainActor () -> Void
    let journey: StoreOf<JourneyFeature>

    var body: some View {
        if store.isOnOrBeingRaised {
            Card(tone: .critical) {
                AlertTitle(words: "Your alert is on", start: store.alertStartTime)
                if let alert = store.currentAlert {
                    HelpComing(
                        alert: alert, store: store, responders: responders, emergency: emergency)
                }
                if let words = store.waitingWords { Text(words) }
                WideButton("Go to your alert", kind: .primary, action: show)
            }
            .announced("Your alert is on")
        }
        MissedCheckIn(
            store: store, responders: responders, emergency: emergency, checkIn: checkIn)
        OverdueJourney(
            store: store, journey: journey, responders: responders, emergency: emergency,
            show: show)
        // Only Home shows the whole notice. This card leads there.
        if let end = store.endElsewhere, !store.isOnOrBeingRaised {
            Card(tone: .critical) {
                Text(end.title).bold() + Text(verbatim: " · ") + .when(end.time)
                WideButton("See what to do", kind: .primary, action: show)
            }
            .announced(end.title)
        }
    }
}

/// The alert about a missed check-in: who was told, and how to end it. Empty if there is none.
struct MissedCheckIn: View {
    let store: StoreOf<AlertFeature>
    let responders: [ContactData]
    var emergency: EmergencyNumber?
    var checkIn: (@MainActor () -> Void)?

    var body: some View {
        if let alert = store.missedCheckIn {
            Card(tone: .critical) {
                AlertTitle(
                    words: "You missed your check-in", start: alert.startTime)
                HelpComing(
                    alert: alert, store: store, responders: responders, emergency: emergency)
                if let checkIn {
                    WideButton(
                        "I am fine: check in", .check, kind: .primary, action: checkIn)
                }
            }
            .announced("You missed your check-in")
        }
    }
}

/// The alert about the user's journey: who was told, and the presses that end it. Empty if there is
/// none.
struct OverdueJourney: View {
    let store: StoreOf<AlertFeature>
    let journey: StoreOf<JourneyFeature>
    let responders: [ContactData]
    var emergency: EmergencyNumber?
    /// Opens Home, which loads the journey; nil on Home.
    var show: (@MainActor () -> Void)?

    var body: some View {
        if let alert = store.overdueJourney {
            let title = JourneyWords.notBack(from: alert.journey)
            Card(tone: .critical) {
                AlertTitle(words: title, start: alert.startTime)
                HelpComing(
                    alert: alert, store: store, responders: responders, emergency: emergency)
                if journey.journey != nil {
                    JourneyPresses(store: journey)
                } else if let show {
                    WideButton("See what to do", kind: .primary, action: show)
                }
            }
            .announced(title)
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

/// Says who is coming, with a button that calls them. VoiceOver reads changes at once, because the
/// user waits for help.
struct HelpComing: View {
    let alert: AlertRecord
    let store: StoreOf<AlertFeature>
    let responders: [ContactData]
    var emergency: EmergencyNumber?

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
        }
        let words = store.state.reportWords(of: alert)
        if let words { report(words) }
        // All may have refused during the pause after a report.
        if alert.acknowledgement == nil, words == nil || alert.isRefusedByAll == true {
            noAnswer
        }
    }

    /// A responder's report, which pauses the alarms. The report may be wrong, so the user can
    /// resume the alarms immediately.
    @ViewBuilder private func report(_ words: String) -> some View {
        if let report = alert.report {
            Banner(.warning, .bell) {
                Text(words).bold() + Text(verbatim: " · ") + .since(report.time)
            }
            .announced(words)
        }
        if let end = alert.pausedUntil {
            Text("No one is alerted again until ") + .moment(end) + Text(verbatim: ".")
        }
        WideButton(store.state.resumeWords(of: alert), .bell) {
            store.send(.resumeButtonTapped(alert.id))
        }
        .disabled(store.resumingAlert != nil)
    }

    @ViewBuilder private var noAnswer: some View {
        let words = store.state.noAnswerWords(to: alert)
        let isBold =
            store.hasResponders == false || alert.isRefusedByAll == true
            || store.state.isUnheard(alert)
        let text: Text = isBold ? Text(words).bold() : Text(words)
        // Before the first refusal, these words would interrupt "Your alert was sent".
        if alert.refusals == nil {
            text
        } else {
            text.announced(words)
        }
        if store.hasResponders == false {
            WideButton("Add a responder", .scan) { store.send(.addResponderButtonTapped) }
        }
        if alert.isRefusedByAll == true || alert.isUnheard == true { calls }
    }

    @ViewBuilder private var calls: some View {
        if let emergency, let url = emergency.callURL {
            Link(destination: url) { Text("Call \(emergency.text)") }
                .frame(maxWidth: .infinity, minHeight: 44)
                .buttonStyle(.bordered)
                .accessibilityLabel("Call the emergency number \(emergency.text)")
        }
        ForEach(responders) { contact in
            if let number = contact.phoneNumber {
                Text(contact.displayName).bold()
                CallLink(number: number, name: contact.displayName)
            }
        }
    }
}

/// Says which device ended the alert, where and when. Stays until the user has answered on this
/// device. `AlertBar` presents the questions, because only one view can present them.
struct EndElsewhereNotice: View {
    let store: StoreOf<AlertFeature>

    var body: some View {
        if let end = store.endElsewhere, !store.isOnOrBeingRaised {
            Card(tone: .critical) {
                HStack(spacing: 8) {
                    Symbol.alert.picture
                    Text(end.title).bold() + Text(verbatim: " · ") + .when(end.time)
                }
                Text(end.advice)
                WideButton("Call for help again", .alert, kind: .primary) {
                    store.send(.raiseAgainButtonTapped)
                }
                if !end.isSessionEnded {
                    WideButton("Sign that device out") {
                        store.send(.signOutElsewhereButtonTapped)
                    }
                }
                WideButton("OK, that was me", kind: .plain) { store.send(.endElsewhereRead) }
                ErrorNotice(store.error) { store.send(.dismissError) }
            }
            .announced(end.title)
        }
    }
}
