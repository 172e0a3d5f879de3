import Domain
import Features
import LivePages

struct IntervalChoice {
    var interval: Duration
    /// The number that was typed last; nil after a preset was chosen.
    var typedHours: Int?
    var presets: [Duration]
    /// Why the typed number is not accepted.
    var error: String?
}

func intervalFields<Action>(
    _ chosen: IntervalChoice, preset: @escaping (Duration) -> Action,
    hours: @escaping (Int) -> Action
) -> HTML<Action> {
    let (interval, presets) = (chosen.interval, chosen.presets)
    return div(.class("stack")) {
        fieldset(.class("stack")) {
            legend { "How often" }
            for choice in presets {
                label(.class("choice")) {
                    input(
                        .type("radio"), .name("interval"), .value("\(choice.components.seconds)"),
                        .checked(choice == interval)
                    )
                    .onChoose { _ in preset(choice) }
                    span { "Every \(choice.words)" }
                }
            }
        }
        field(
            "Or another number of hours", id: "interval-hours", hint: hoursHint,
            error: chosen.error,
            control: hoursInput(shownHours(interval, chosen.typedHours, presets)).onInput {
                hours(wholeHours($0))
            }
        )
    }
}

private func hoursInput<Action>(_ value: String?) -> HTML<Action> {
    let field: HTML<Action> = input(
        .type("text"), .name("hours"), .plain(.inputmode, "numeric"), .plain(.autocomplete, "off"),
        .draft)
    return value.map { field.attributes(.value($0)) } ?? field
}

func reminderChoice<Action>(
    twoHours: Bool, thirtyMinutes: Bool, twoHoursToggled: Action, thirtyMinutesToggled: Action
) -> HTML<Action> {
    fieldset(.class("stack")) {
        legend { "Remind me before the deadline" }
        checkbox("\(Reminder.twoHours.lead.words) before", isOn: twoHours) { _ in twoHoursToggled }
        checkbox("\(Reminder.thirtyMinutes.lead.words) before", isOn: thirtyMinutes) { _ in
            thirtyMinutesToggled
        }
        p(.class("hint")) { "A reminder longer than the time between check-ins is skipped." }
    }
}
