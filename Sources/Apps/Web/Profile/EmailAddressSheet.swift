import Domain
import Features
import LivePages

extension EmailAddressFeature {
    static func view(_ state: State) -> HTML<Action> {
        sheet("E-mail", id: "email", close: .dismissButtonTapped) {
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            switch state.step {
            case .loading: p(.class("quiet")) { "Loading …" }
            case .address: newAddress(state)
            case .code: code(state)
            case .confirmed: confirmed(state)
            }
        }
        .onAppear(.onAppear)
    }
}

private func newAddress(_ state: EmailAddressFeature.State) -> HTML<EmailAddressFeature.Action> {
    form(.class("stack")) {
        field(
            "E-mail address", id: "email-address",
            hint: "Alerts come there, too. We’ll send a 6-digit code to make sure it is yours.",
            error: state.error?.fieldWords,
            control: input(
                .type("text"), .name("email"), .plain(.autocomplete, "email"),
                .plain(.inputmode, "email"), .draft,
                .value(state.newAddress)
            )
            .readOnly(state.isLoading).onInput { .newAddressChanged($0) })
        submitButton(state.sendWords, isEnabled: !state.isLoading)
    }
    .onSubmit(.sendCodeButtonTapped)
    .key("email-form")
}

private func code(_ state: EmailAddressFeature.State) -> HTML<EmailAddressFeature.Action> {
    form(.class("stack")) {
        field(
            "6-digit code", id: "email-code",
            hint: state.codeHint,
            error: state.error?.fieldWords,
            control: codeInput(state.verificationCode, isReadOnly: state.isLoading) {
                .verificationCodeChanged($0)
            })
        submitButton(state.confirmWords, isEnabled: state.canConfirm)
        actionButton("Use another address", class: "plain wide", .otherAddressButtonTapped)
            .disabled(state.isLoading)
    }
    .onSubmit(.confirmButtonTapped)
    .key("email-code-form")
}

private func confirmed(_ state: EmailAddressFeature.State) -> HTML<EmailAddressFeature.Action> {
    div(.class("stack")) {
        successBanner(state.confirmedWords)
        if let words = state.failureWords { p(.class("notice")) { words } }
        actionButton("Use another address", class: "wide", .otherAddressButtonTapped)
            .disabled(state.isLoading)
        actionButton("Remove", class: "danger wide", .removeButtonTapped).disabled(state.isLoading)
    }
    .key("email-confirmed")
}
