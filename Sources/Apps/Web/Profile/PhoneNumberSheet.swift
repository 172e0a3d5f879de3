import Features
import LivePages

extension PhoneNumberChangeFeature {
    static func view(_ state: State) -> HTML<Action> {
        sheet(
            "Change phone number", id: "number",
            closeLabel: state.closeWords, close: .dismissButtonTapped
        ) {
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            switch state.step {
            case .number: newNumber(state)
            case .code: code(state)
            case .done:
                successBanner(state.doneWords)
            }
        }
    }
}

private func newNumber(_ state: PhoneNumberChangeFeature.State) -> HTML<
    PhoneNumberChangeFeature.Action
> {
    form(.class("stack")) {
        countryField(
            state.country, showsAll: state.showsAllCountries, id: "new-country",
            isDisabled: state.isLoading, showAll: .otherCountryButtonTapped
        ) { .countryChosen($0) }
        field(
            "New phone number", id: "new-number",
            hint: "\(state.country.hint). We’ll text you a 6-digit code.",
            error: state.error?.fieldWords,
            control: input(
                .type("tel"), .name("number"), .plain(.autocomplete, "tel"),
                .plain(.inputmode, "tel"), .draft,
                .value(state.newPhoneNumber)
            )
            .readOnly(state.isLoading).onInput { .newPhoneNumberChanged($0) })
        submitButton(state.sendWords, isEnabled: !state.isLoading)
    }
    .onSubmit(.sendCodeButtonTapped)
    .key("number-form")
}

private func code(_ state: PhoneNumberChangeFeature.State) -> HTML<PhoneNumberChangeFeature.Action>
{
    form(.class("stack")) {
        field(
            "6-digit code", id: "number-code", hint: state.codeHint,
            error: state.error?.fieldWords,
            control: codeInput(state.verificationCode, isReadOnly: state.isLoading) {
                .verificationCodeChanged($0)
            })
        submitButton(state.confirmWords, isEnabled: state.canConfirm)
        actionButton(
            "Use another number, or get another code", class: "plain wide", .otherNumberButtonTapped
        )
    }
    .onSubmit(.confirmButtonTapped)
    .key("code-form")
}
