import Domain

/// How often to check in: one of some usual intervals, or any number of hours.
func intervalChoice<Action>(
    _ interval: Duration, presets: [Duration], error: String? = nil, preset: @escaping (Duration) -> Action, hours: @escaping (Int) -> Action
) -> HTML<Action> {
    div(.class("stack")) {
        fieldset(.class("stack")) {
            legend { "Interval" }
            for choice in presets {
                label(.class("choice")) {
                    input(.type("radio"), .name("interval"), .value("\(choice.components.seconds)"), .checked(choice == interval))
                        .onChoose { _ in preset(choice) }
                    span { "Every \(choice.words)" }
                }
            }
        }
        field(
            "Or another number of hours", id: "interval-hours", hint: "From \(limit(\.lowerBound)) to \(limit(\.upperBound)).", error: error,
            control: input(
                .type("text"), .name("hours"), .plain(.inputmode, "numeric"), .plain(.autocomplete, "off"), .plain(.maxlength, "3"),
                .value(presets.contains(interval) || interval < .hours(1) ? "" : "\(interval.components.seconds / 3600)")
            )
            .onInput { hours(wholeHours($0)) }
        )
    }
}

private func limit(_ bound: KeyPath<ClosedRange<Int>, Int>) -> String { Duration.seconds(IntervalLimits.standard.seconds[keyPath: bound]).words }

/// What was typed as a number; 0, which is never accepted, for anything else. More than three digits never come from the field.
private func wholeHours(_ text: String) -> Int {
    let text = text.filter { !$0.isWhitespace }
    return text.count <= 3 ? max(0, Int(text) ?? 0) : 0
}

/// Which reminders are sent before the deadline.
func reminderChoice<Action>(twoHours: Bool, thirtyMinutes: Bool, twoHoursToggled: Action, thirtyMinutesToggled: Action) -> HTML<Action> {
    fieldset(.class("stack")) {
        legend { "Remind me before the deadline" }
        checkbox("\(Reminder.twoHours.lead.words) before", isOn: twoHours) { _ in twoHoursToggled }
        checkbox("\(Reminder.thirtyMinutes.lead.words) before", isOn: thirtyMinutes) { _ in thirtyMinutesToggled }
        p(.class("hint")) { "A reminder that is not shorter than your interval is left out." }
    }
}
