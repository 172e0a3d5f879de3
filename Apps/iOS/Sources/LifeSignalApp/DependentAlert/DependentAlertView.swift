import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct DependentAlertView: View {
    @Bindable var store: StoreOf<DependentAlertFeature>

    var body: some View {
        let number = store.dependent?.phoneNumber
        SheetFrame(
            title: store.title, subject: store.dependentID,
            close: { store.send(.closeButtonTapped) }
        ) {
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let alert = store.alert {
                AlertFacts(alert: alert, store: store)
            } else if store.isLoading {
                LoadingLine(words: "Loading the alert …")
            } else {
                unknown
            }
            ForEach(store.others) { other($0) }
            if let note = store.journeyNote {
                Card {
                    Heading(store.journeyNoteTitle)
                    Text(note).textSelection(.enabled)
                }
            }
            if let number { CallLink(number: number, name: store.displayName) }
            if !store.isOver {
                EmergencyNumberCard(
                    number: number.flatMap { EmergencyNumber(for: $0) }, name: store.displayName)
            }
            if let alert = store.alert {
                AlertHelpers(alert: alert, store: store)
                AlertReports(alert: alert, store: store)
                AlertActions(store: store)
            }
            if let note = store.emergencyNote {
                Card {
                    Heading("Emergency note")
                    Text(note).textSelection(.enabled)
                }
            }
            if store.alert != nil { told }
        }
        .onAppear { store.send(.onAppear) }
        // A tapped notification can replace the alert while the sheet stays open.
        .onChange(of: store.state.id) { _, _ in store.send(.onAppear) }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    /// Shown until the details have loaded. The user can already call the dependent.
    private var unknown: some View {
        Card(tone: .critical) {
            Text(store.unknownWords)
            WideButton("Load again") { store.send(.refreshButtonTapped) }
        }
    }

    private func other(_ alert: AlertRecord) -> some View {
        let words = store.state.otherWords(alert)
        return Card(tone: .critical) {
            HStack(spacing: 8) {
                Symbol.alert.picture
                Text(words).bold()
            }
            WideButton("See that alert") { store.send(.otherAlertTapped(alert.id)) }
                .accessibilityLabel("See that alert: \(alert.kind.words)")
        }
        .announced(words)
    }

    private var told: some View {
        Card {
            Heading(store.othersTitle)
            if store.othersTold.isEmpty { Text(store.noOthersWords) }
            ForEach(store.othersTold, id: \.self) { name in Text(name) }
        }
    }
}

struct AlertFacts: View {
    let alert: AlertRecord
    let store: StoreOf<DependentAlertFeature>

    var body: some View {
        Card(tone: store.isOver ? .plain : .critical) {
            if store.isOver, let words = store.endingWords {
                Banner(.fine, .check) { Text(words).bold() }.announced(words)
            } else {
                StatusPill("Open alert", .critical)
            }
            let start = alert.deadline ?? alert.startTime
            Fact(store.startTitle, Text.when(start) + .theirs(start, store.dependent?.watch))
            if let end = alert.endTime {
                Fact("Ended", Text.when(end) + .theirs(end, store.dependent?.watch))
            } else {
                Fact("Open for", .stopwatch(since: alert.startTime))
            }
            if let last = store.dependent?.watch?.lastCheckInTime {
                Fact("Last check-in", Text.when(last) + .theirs(last, store.dependent?.watch))
            }
            if alert.toldLate { Text(AlertWords.toldLate) }
        }
    }
}

struct AlertHelpers: View {
    let alert: AlertRecord
    let store: StoreOf<DependentAlertFeature>

    var body: some View {
        Card {
            Heading(store.helpersTitle)
            helper
            if store.showsAcknowledge {
                WideButton(store.acknowledgeWords, .check, kind: .primary) {
                    store.send(.acknowledgeButtonTapped)
                }
                .disabled(!store.canAcknowledge)
            }
            if store.showsRefusal { refusal }
            if store.showsWithdrawal {
                WideButton(store.withdrawWords, .close) {
                    store.send(.withdrawButtonTapped)
                }
                .disabled(!store.canWithdraw)
            }
        }
        // Without a helper, the words aren't news when the sheet opens. `AlertFacts` announces the
        // alert's end.
        .announced(
            store.helpNews, initial: alert.acknowledgement != nil, isMuted: store.isOver)
    }

    @ViewBuilder private var helper: some View {
        if let time = store.helpedSince {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Symbol.check.picture
                Text(store.helperWords).bold()
            }
            Quiet(
                Text(store.isOver ? "took it on " : "since ") + .since(time))
        } else {
            Text(store.helperWords)
        }
    }

    /// The button "I can't", or the confirmation after the user has declined.
    @ViewBuilder private var refusal: some View {
        if store.hasDeclined {
            Text(store.declinedWords)
        } else {
            WideButton(store.declineWords, .close, kind: .plain) {
                store.send(.declineButtonTapped)
            }
            .disabled(!store.canDecline)
        }
    }
}
