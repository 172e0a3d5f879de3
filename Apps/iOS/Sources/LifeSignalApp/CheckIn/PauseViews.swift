import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

/// The pause with its end, or a row that opens the sheet for a new pause.
struct PauseRow: View {
    @Bindable var store: StoreOf<PauseFeature>
    let isPaused: Bool

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            if isPaused, let pause = store.pause {
                Text.paused(until: pause.until).bold()
                WideButton(ScheduleWords.endPause) { store.send(.endPauseButtonTapped) }
                    .disabled(store.isSaving)
                WideButton(ScheduleWords.changePause, kind: .plain) {
                    store.send(.pauseButtonTapped)
                }
                .accessibilityLabel(PauseFeature.State.changeTitle)
                .disabled(store.isSaving)
            } else {
                beginning
            }
            WaitingBanner(store.waitingWords)
            if !store.isSheetOpen { ErrorNotice(store.error) { store.send(.dismissError) } }
        }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    private var beginning: some View {
        Button {
            store.send(.pauseButtonTapped)
        } label: {
            HStack {
                Text(ScheduleWords.pause).bold()
                Spacer()
                Symbol.forward.picture
            }
            .frame(minHeight: 44)
            .contentShape(.rect)
        }
        .buttonStyle(.plain)
        .disabled(store.isSaving)
        .accessibilityLabel(ScheduleWords.pause)
    }
}

/// The sheet for the end of a pause. Nothing changes until the user confirms it.
struct PauseSheet: View {
    @Bindable var store: StoreOf<PauseFeature>

    var body: some View {
        SheetFrame(
            title: store.title, closeLabel: "Cancel", close: { store.send(.sheetDismissed) }
        ) {
            Text(PauseFeature.State.explanation)
            VStack(alignment: .leading, spacing: 0) {
                Heading(ScheduleWords.pauseLength)
                ForEach(PauseFeature.State.lengths, id: \.self) { days in
                    ChoiceRow(Duration.days(days).words, isOn: store.state.lasts(days: days)) {
                        store.send(.lengthChosen(days: days))
                    }
                }
            }
            DatePicker(
                ScheduleWords.pauseEnd,
                selection: $store[value: \.chosenEnd, send: \.endChosen],
                displayedComponents: [.date, .hourAndMinute])
            FieldError(store.refusalWords)
            ErrorNotice(store.error) { store.send(.dismissError) }
            SubmitButton(store.confirmWords, isEnabled: store.canConfirm) {
                store.send(.confirmButtonTapped)
            }
        }
    }
}

extension PauseFeature.State {
    var isSheetOpen: Bool { sheet != nil }

    /// The end in the picker. While the sheet closes, any date will do.
    fileprivate var chosenEnd: Date { sheet?.end ?? sheet?.openedAt ?? .now }

    /// Returns true if the chosen end is this many days after the sheet was opened.
    fileprivate func lasts(days: Int) -> Bool {
        sheet.map { $0.end == $0.openedAt.adding(.days(days)) } ?? false
    }
}
