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
