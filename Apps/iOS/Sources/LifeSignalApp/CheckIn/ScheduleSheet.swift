import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The sheet for the interval and the reminders. Changes take effect when the user saves them.
struct ScheduleSheet: View {
    @Bindable var store: StoreOf<CheckInFeature>

    var body: some View {
        SheetFrame(
            title: "Schedule", closeLabel: "Cancel", close: { store.send(.sheetDismissed) }
        ) {
            if let choice = store.scheduleSheet {
                IntervalFields(
                    interval: choice.interval, typedHours: choice.typedHours,
                    presets: choice.presets,
                    error: store.isIntervalRefused ? hoursError : nil,
                    preset: { store.send(.intervalPresetTapped($0)) },
                    hours: { store.send(.customIntervalChanged(hours: $0)) })
            }
            Quiet(
                """
                Your new deadline counts from your last check-in. If it has already passed, your \
                responders are told at once.
                """)
            ReminderChoice(
                twoHours: $store[value: \.isTwoHoursChosen, toggle: \.twoHoursReminderToggled],
                thirtyMinutes: $store[
                    value: \.isThirtyMinutesChosen, toggle: \.thirtyMinutesReminderToggled])
            ErrorNotice(store.error) { store.send(.dismissError) }
            SubmitButton(store.saveWords, isEnabled: store.canSaveSchedule) {
                store.send(.saveScheduleButtonTapped)
            }
        }
    }
}

extension CheckInFeature.State {
    fileprivate var isTwoHoursChosen: Bool { scheduleSheet?.twoHoursBefore ?? false }
    fileprivate var isThirtyMinutesChosen: Bool { scheduleSheet?.thirtyMinutesBefore ?? false }
}
