import Domain
import Features
import LivePages

extension CheckInFeature {
    /// The sheet for the interval and the reminders. Choices take effect when they are saved.
    static func sheets(_ state: State) -> HTML<Action> {
        guard let choice = state.scheduleSheet else { return .empty }
        return sheet(
            "Schedule", id: "schedule-sheet", closeLabel: "Cancel", close: .sheetDismissed
        ) {
            form(.class("stack")) {
                intervalFields(
                    IntervalChoice(
                        interval: choice.interval, typedHours: choice.typedHours,
                        presets: choice.presets,
                        error: state.isIntervalRefused ? hoursError : nil),
                    preset: Action.intervalPresetTapped
                ) { .customIntervalChanged(hours: $0) }
                p(.class("hint")) {
                    """
                    Your new deadline counts from your last check-in. If it has already passed, \
                    your responders are told at once.
                    """
                }
                reminderChoice(
                    twoHours: choice.twoHoursBefore, thirtyMinutes: choice.thirtyMinutesBefore,
                    twoHoursToggled: .twoHoursReminderToggled,
                    thirtyMinutesToggled: .thirtyMinutesReminderToggled)
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(
                    state.saveWords, isEnabled: state.canSaveSchedule)
            }
            .onSubmit(.saveScheduleButtonTapped)
        }
    }
}
