import Domain
import Features
import LivePages

extension CheckInFeature {
    /// The sheet for the schedule and the reminders. Choices take effect when they are saved.
    static func sheets(_ state: State) -> HTML<Action> {
        guard let choice = state.scheduleSheet else {
            return PauseFeature.sheets(state.pause).map(Action.pause)
        }
        return sheet(
            "Schedule", id: "schedule-sheet", closeLabel: "Cancel", close: .sheetDismissed
        ) {
            form(.class("stack")) {
                scheduleFields(choice).map(Action.schedule)
                if choice.kind != .none {
                    if let words = beginning(choice) { p(.class("hint")) { words } }
                    reminderChoice(choice).map(Action.schedule)
                }
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(
                    state.saveWords, isEnabled: state.canSaveSchedule)
                scheduleQuestion(choice).map(Action.schedule)
            }
            .onSubmit(.schedule(.saveTapped))
        }
    }

    /// When a new schedule begins, in words.
    private static func beginning(_ choice: ScheduleFeature.State) -> String? {
        switch choice.kind {
        case .none: nil
        case .times: "New times begin at least an hour from now."
        case .interval: choice.now.flatMap { choice.present.newIntervalWords(at: $0) }
        }
    }
}
