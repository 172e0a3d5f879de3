import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The full-screen view of an open alert: its duration, who was told, who is coming, and how to end
/// it.
struct AlertScreen<Messages: View>: View {
    @Bindable var store: StoreOf<AlertFeature>
    let checkIn: StoreOf<CheckInFeature>
    let journey: StoreOf<JourneyFeature>
    let told: JourneyFeature.Told
    let emergency: EmergencyNumber?
    let responders: [ContactData]
    @ViewBuilder let messages: Messages

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                // Two columns keep the button that ends the alert visible in landscape.
                Columns {
                    VStack(spacing: 16) { head }.frame(maxWidth: .infinity)
                } second: {
                    // After the head, which would otherwise leave the screen.
                    messages
                    if !responders.isEmpty { calls }
                    EmergencyNumberCard(number: emergency, name: nil)
                    if let alert = store.currentAlert { told(alert) }
                    OverdueJourney(
                        store: store, journey: journey, responders: responders,
                        emergency: emergency)
                    if store.overdueJourney == nil { JourneyCard(store: journey, told: told) }
                }
            }
            .frame(maxWidth: PageWidth.columns)
            .padding(16)
            .frame(maxWidth: .infinity)
        }
        .foregroundStyle(Color.onAlarm)
        .background(Color.alarm)
        .announced(store.sentWords.isEmpty ? store.title : store.sentWords)
        .alert($store.scope(state: \.confirmationAlert, action: \.confirmationAlert))
    }

    @ViewBuilder private var head: some View {
        Symbol.alert.picture.font(.largeTitle)
        Text(store.title).font(.largeTitle).bold().accessibilityAddTraits(.isHeader)
        duration.font(.title).accessibilityAddTraits(.updatesFrequently)
        WaitingBanner(store.waitingWords)
        if let alert = store.currentAlert {
            HelpComing(
                alert: alert, store: store, responders: responders, emergency: emergency)
        }
        ErrorNotice(store.error) { store.send(.dismissError) }
        ending
        if store.missedCheckIn != nil { missed }
    }

    /// The alert about a missed check-in. This screen hides the check-in button, so this has one,
    /// and shows what became of the press.
    @ViewBuilder private var missed: some View {
        MissedCheckIn(
            store: store, responders: responders, emergency: emergency,
            checkIn: { checkIn.send(.checkInButtonTapped) })
        WaitingBanner(checkIn.waitingWords)
        ErrorNotice(checkIn.error) { checkIn.send(.dismissError) }
    }

    private var duration: Text { Text("On for ") + elapsed }

    private var elapsed: Text {
        if let start = store.alertStartTime, store.alertEndTime == nil {
            .stopwatch(since: start)
        } else {
            Text(store.formattedAlertDuration)
        }
    }

    @ViewBuilder private var ending: some View {
        HoldButton(
            title: store.holdWords, progress: store.deactivationProgress,
            isEnabled: store.canDeactivateAlert,
            began: { store.send(.holdBegan) }, ended: { store.send(.holdEnded) },
            tapped: { store.send(.alertDeactivationButtonTapped) })
        if store.isEnding {
            WideButton("Keep the alert") { store.send(.alertDeactivationProgressChanged(0)) }
        } else {
            Button("End it without holding") { store.send(.alertDeactivationButtonTapped) }
                .disabled(!store.canDeactivateAlert)
                .frame(minHeight: 44)
        }
    }

    private var calls: some View {
        Card {
            Heading("Call a responder")
            ForEach(responders) { contact in
                let name = ProfileRules.displayName(contact.name)
                Text(name).bold()
                if let number = contact.phoneNumber {
                    CallLink(number: number, name: name)
                    if store.offersTextMessage { TextLink(number: number, name: name) }
                }
            }
        }
    }

    private func told(_ alert: AlertRecord) -> some View {
        let ledger = alert.ledger.filter { $0.recipientId != alert.userId }
        return Card {
            HStack {
                Heading("Who was told")
                Spacer()
                Button("Refresh") { store.send(.loadAlertDetails(alert.id)) }
            }
            LedgerList(
                ledger: ledger, actions: alert.history, stopped: store.stoppedResponders,
                empty: store.nobodyToldWords)
            OwnTimeline(alert: alert, stopped: store.stoppedResponders)
        }
        // Reloads the details after each answer, because the event that reports an answer lacks the
        // ledger.
        .task(id: alert.lastAnswerTime) { store.send(.loadAlertDetails(alert.id)) }
    }
}

/// A button that the user must hold. For VoiceOver it is a normal button that asks for
/// confirmation.
struct HoldButton: View {
    let title: String
    /// The progress, from 0 to 1.
    let progress: Double
    let isEnabled: Bool
    let began: @MainActor () -> Void
    let ended: @MainActor () -> Void
    let tapped: @MainActor () -> Void
    /// The system resets this when the touch ends, or when a scroll view takes over the touch.
    @GestureState private var isHeld = false

    var body: some View {
        VStack(spacing: 8) {
            HStack(spacing: 8) {
                Symbol.check.picture
                Text(title).bold()
            }
            ProgressView(value: progress).tint(Color.alarm).accessibilityHidden(true)
        }
        .frame(maxWidth: .infinity, minHeight: 64)
        .padding(12)
        .foregroundStyle(Color.alarm)
        .background(Color.onAlarm, in: .rect(cornerRadius: 14))
        .contentShape(.rect)
        .gesture(
            DragGesture(minimumDistance: 0).updating($isHeld) { _, isHeld, _ in isHeld = true }
        )
        .onChange(of: isHeld) { _, isHeld in isHeld ? began() : ended() }
        .disabled(!isEnabled)
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.isButton)
        .accessibilityAction { tapped() }
    }
}
