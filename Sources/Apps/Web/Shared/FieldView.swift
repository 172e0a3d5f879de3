import LivePages

/// A field with its label, what helps to fill it in, and what is wrong with it.
/// - Parameters:
///   - id: unique on the page; hint and error are named by it.
///   - control: the `input`, `textarea` or `select`; it is given the id and what describes it.
func field<Action>(
    _ title: String, id: String, hint: String? = nil, error: String? = nil, control: HTML<Action>
) -> HTML<Action> {
    let description = [hint.map { _ in "\(id)-hint" }, error.map { _ in "\(id)-error" }].compactMap(
        \.self
    ).joined(separator: " ")
    var control = control.attributes(.id(id))
    if !description.isEmpty { control = control.attributes(.described(by: description)) }
    if error != nil { control = control.attributes(.aria("invalid", "true")) }
    return div(.class("field")) {
        label(.for(id)) { title }
        if let hint { p(.id("\(id)-hint"), .class("hint")) { hint } }
        control
        if let error {
            p(.id("\(id)-error"), .class("error"), .role("alert")) {
                icon(.alert)
                error
            }
        }
    }
}

/// The control for a code of 6 digits that was sent.
func codeInput<Action>(
    _ code: String, isReadOnly: Bool, changed: @escaping (String) -> Action
) -> HTML<Action> {
    input(
        .type("text"), .class("one-time-code"), .name("code"),
        .plain(.autocomplete, "one-time-code"), .plain(.inputmode, "numeric"),
        .plain(.maxlength, "6"), .value(code)
    )
    .readOnly(isReadOnly).onInput(changed)
}

/// A checkbox with its words beside it.
func checkbox<Action>(
    _ title: String, isOn: Bool, isDisabled: Bool = false, toggle: @escaping (Bool) -> Action
) -> HTML<Action> {
    label(.class("choice")) {
        input(.type("checkbox"), .checked(isOn)).disabled(isDisabled).onToggle(toggle)
        span { title }
    }
}
