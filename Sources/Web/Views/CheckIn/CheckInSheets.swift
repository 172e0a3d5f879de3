import Domain
import Features

extension CheckInFeature {
    /// What is chosen in a sheet counts once it is saved.
    static func sheets(_ state: State) -> HTML<Action> {
        group {
            if let choice = state.intervalSheet { interval(choice, state) }
            if let choice = state.remindersSheet { reminders(choice, state) }
        }
    }

    private static func interval(_ choice: IntervalSheet, _ state: State) -> HTML<Action> {
        sheet("How often do you check in?", id: "interval-sheet", closeLabel: "Cancel", close: .sheetDismissed) {
            form(.class("stack")) {
                p { "Your deadline is counted anew from your last check-in. If that is past already, your responders are told at once." }
                intervalChoice(
                    choice.interval, typedHours: choice.typedHours, presets: choice.presets, error: refusal(of: choice, state),
                    preset: Action.intervalPresetTapped
                ) { .customIntervalChanged(hours: $0) }
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(state.isSavingSettings ? "Saving …" : "Save", isEnabled: state.canSaveInterval)
            }
            .onSubmit(.saveIntervalButtonTapped)
        }
    }

    /// Nothing is wrong with what is in force already, as on a server for demonstrations.
    private static func refusal(of choice: IntervalSheet, _ state: State) -> String? {
        choice.isAccepted || choice.interval == state.checkInInterval ? nil : "This is not a number of hours that can be chosen."
    }

    private static func reminders(_ choice: RemindersSheet, _ state: State) -> HTML<Action> {
        sheet("Reminders", id: "reminders-sheet", closeLabel: "Cancel", close: .sheetDismissed) {
            form(.class("stack")) {
                reminderChoice(
                    twoHours: choice.twoHoursBefore, thirtyMinutes: choice.thirtyMinutesBefore, twoHoursToggled: .twoHoursReminderToggled,
                    thirtyMinutesToggled: .thirtyMinutesReminderToggled)
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(state.isSavingSettings ? "Saving …" : "Save", isEnabled: state.canSaveReminders)
            }
            .onSubmit(.saveRemindersButtonTapped)
        }
    }
}
