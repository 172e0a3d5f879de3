import Domain
import LivePages

/// The chosen interval: a usual one, or any number of hours.
struct IntervalChoice {
    var interval: Duration
    /// The number typed last; nil when a usual interval was chosen since.
    var typedHours: Int?
    var presets: [Duration]
    /// About a number that is not accepted.
    var error: String?
}

func intervalFields<Action>(
    _ chosen: IntervalChoice, preset: @escaping (Duration) -> Action,
    hours: @escaping (Int) -> Action
) -> HTML<Action> {
    let (interval, presets) = (chosen.interval, chosen.presets)
    return div(.class("stack")) {
        fieldset(.class("stack")) {
            legend { "Interval" }
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

/// The text of the field; nil leaves it as it is, with anything that is no number.
private func shownHours(_ interval: Duration, _ typed: Int?, _ presets: [Duration]) -> String? {
    if let typed { return typed > 0 ? "\(typed)" : nil }
    let (hours, rest) = interval.components.seconds.quotientAndRemainder(dividingBy: 3600)
    return presets.contains(interval) || hours < 1 || rest > 0 ? "" : "\(hours)"
}

/// About a number of hours that is not accepted.
let hoursError: String = {
    let limits = IntervalLimits.standard.seconds
    return "Enter \(limits.lowerBound / 3600) to \(limits.upperBound / 3600) hours."
}()

private let hoursHint: String = {
    let limits = IntervalLimits.standard.seconds
    return
        """
        Whole hours, from \(limits.lowerBound / 3600) to \(limits.upperBound / 3600), which is \
        \(Duration.seconds(limits.upperBound).words).
        """
}()

/// The typed number of hours; 0, which is never accepted, for other text.
private func wholeHours(_ text: String) -> Int {
    let text = text.filter { !$0.isWhitespace }
    return text.count <= 3 ? max(0, Int(text) ?? 0) : 0
}

/// The choice of reminders before the deadline.
func reminderChoice<Action>(
    twoHours: Bool, thirtyMinutes: Bool, twoHoursToggled: Action, thirtyMinutesToggled: Action
) -> HTML<Action> {
    fieldset(.class("stack")) {
        legend { "Remind me before the deadline" }
        checkbox("\(Reminder.twoHours.lead.words) before", isOn: twoHours) { _ in twoHoursToggled }
        checkbox("\(Reminder.thirtyMinutes.lead.words) before", isOn: thirtyMinutes) { _ in
            thirtyMinutesToggled
        }
        p(.class("hint")) { "Reminders longer than your interval are skipped." }
    }
}
