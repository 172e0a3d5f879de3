import Domain
import Features
import LivePages

/// A field with its label, hint and error.
/// - Parameters:
///   - id: unique on the page. The ids of hint and error begin with it.
///   - control: the `input`, `textarea` or `select`. It gets the id, and refers to the hint and the
///     error as its description.
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

/// The country of a phone number that is typed without a country code.
/// - Parameters:
///   - showsAll: whether the menu has all countries, not just the current one.
///   - showAll: the action of the button that shows all countries.
func countryField<Action>(
    _ country: PhoneCountry?, showsAll: Bool, id: String, isDisabled: Bool, showAll: Action,
    choose: @escaping (PhoneCountry?) -> Action
) -> HTML<Action> {
    group {
        countrySelect(
            country, among: showsAll ? PhoneCountry.all : [country].compactMap(\.self), id: id,
            isDisabled: isDisabled, choose: choose)
        if !showsAll {
            actionButton("Another country", class: "plain", showAll).disabled(isDisabled)
        }
    }
}

private func countrySelect<Action>(
    _ country: PhoneCountry?, among countries: [PhoneCountry], id: String, isDisabled: Bool,
    choose: @escaping (PhoneCountry?) -> Action
) -> HTML<Action> {
    field(
        "Country of the number", id: id,
        control: select(.name(id), .plain(.autocomplete, "off")) {
            option(.value(""), .selected(country == nil)) { PhoneCountry?.noneTitle }
            for one in countries {
                option(.value(one.id), .selected(one == country)) { one.title }
            }
        }
        .disabled(isDisabled).onChoose { choose(PhoneCountry($0)) })
}

/// The field for a code. It takes the focus, because it replaces the form that asked for the code.
func codeInput<Action>(
    _ code: String, isReadOnly: Bool, changed: @escaping (String) -> Action
) -> HTML<Action> {
    input(
        .type("text"), .class("one-time-code"), .name("code"),
        .plain(.autocomplete, "one-time-code"), .plain(.inputmode, "numeric"),
        .plain(.maxlength, "6"), .value(code), .focusWhenShown
    )
    .readOnly(isReadOnly).onInput(changed)
}

func checkbox<Action>(
    _ title: String, isOn: Bool, isDisabled: Bool = false, toggle: @escaping (Bool) -> Action
) -> HTML<Action> {
    label(.class("choice")) {
        input(.type("checkbox"), .checked(isOn)).disabled(isDisabled).onToggle(toggle)
        span { title }
    }
}
