import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The button with the time that is left, and what is known of the last and the next time.
struct CheckInView: View {
    @Bindable var store: StoreOf<CheckInFeature>
    /// Somebody would hear of a missed check-in.
    let isProtected: Bool
    /// The button comes first, and says what it does.
    let hasMissed: Bool

    var body: some View {
        Card(tone: store.tone.card) {
            if !hasMissed { Heading("Check-in") }
            if hasMissed { ring }
            status
            if !hasMissed { ring }
            WaitingBanner(store.waitingWords)
            saved
            if !store.isSheetOpen { ErrorNotice(store.error) { store.send(.dismissError) } }
            facts
            schedule
        }
        .sheet(isPresented: $store[presented: \.isSheetOpen, close: \.sheetDismissed]) {
            ScheduleSheet(store: store)
        }
    }

    /// The confirmation of a check-in takes the place of the status for a moment: nothing moves.
    @ViewBuilder private var status: some View {
        if let confirmation = store.confirmation {
            StatusPill(Text("Checked in at ") + .moment(confirmation.occurredAt), .normal)
        } else {
            let words = store.state.statusWords(isProtected: isProtected)
            StatusPill(words, store.tone).announced(words)
        }
    }

    private var ring: some View {
        RingButton(
            title: store.state.buttonWords(hasMissed: hasMissed), span: span,
            isEnabled: store.canCheckIn
        ) {
            store.send(.checkInButtonTapped)
        }
    }

    private var span: ClosedRange<Date>? {
        guard let last = store.lastCheckInTime, let next = store.nextCheckInTime, last <= next
        else { return nil }
        return last...next
    }

    @ViewBuilder private var saved: some View {
        if store.isScheduleSaved {
            Banner(.fine, .check) {
                Text("Schedule saved")
                Spacer()
                Button("OK") { store.send(.scheduleSavedDismissed) }
                    .buttonStyle(.borderless)
                    .accessibilityLabel("OK: Schedule saved")
            }
            .announced("Schedule saved")
            .dismissed(after: .seconds(10)) { store.send(.scheduleSavedDismissed) }
        }
    }

    @ViewBuilder private var facts: some View {
        Fact("Last check-in", store.lastCheckInTime.map { .when($0) } ?? Text("Not yet"))
        if let waiting = store.waitingCheckInTime {
            Fact("Waiting to be sent since", .when(waiting))
        }
    }

    /// Interval and reminders in one row, which opens them.
    private var schedule: some View {
        Button {
            store.send(.scheduleButtonTapped)
        } label: {
            HStack {
                VStack(alignment: .leading, spacing: 2) {
                    Text("Schedule").bold()
                    Quiet(store.scheduleWords)
                }
                Spacer()
                Symbol.forward.picture
            }
            .frame(minHeight: 44)
            .contentShape(.rect)
        }
        .buttonStyle(.plain)
        .disabled(store.isSavingSettings)
        .accessibilityLabel("Schedule")
        .accessibilityValue(store.scheduleWords)
    }
}
