import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The sheet for the schedule and the reminders. Changes take effect when the user saves them.
struct ScheduleSheet: View {
    let store: StoreOf<CheckInFeature>

    var body: some View {
        SheetFrame(
            title: "Schedule", closeLabel: "Cancel", close: { store.send(.sheetDismissed) }
        ) {
            if let schedule = store.scope(state: \.scheduleSheet, action: \.schedule) {
                ScheduleFields(store: schedule)
                if schedule.kind != .none { ReminderChoice(store: schedule) }
            }
            ErrorNotice(store.error) { store.send(.dismissError) }
            SubmitButton(store.saveWords, isEnabled: store.canSaveSchedule) {
                store.send(.schedule(.saveTapped))
            }
        }
    }
}

/// The sheets for the schedule and for a pause. Both outlast Home's change to the alert's screen.
private struct CheckInSheets: ViewModifier {
    @Bindable var store: StoreOf<CheckInFeature>
    @Bindable var pause: StoreOf<PauseFeature>

    func body(content: Content) -> some View {
        content
            .sheet(isPresented: $store[presented: \.isSheetOpen, close: \.sheetDismissed]) {
                ScheduleSheet(store: store)
            }
            .sheet(isPresented: $pause[presented: \.isSheetOpen, close: \.sheetDismissed]) {
                PauseSheet(store: pause)
            }
    }
}

extension View {
    func checkInSheets(_ store: StoreOf<CheckInFeature>) -> some View {
        modifier(
            CheckInSheets(store: store, pause: store.scope(state: \.pause, action: \.pause)))
    }
}
