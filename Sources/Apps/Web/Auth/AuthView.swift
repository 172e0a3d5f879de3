import Domain
import Features
import LivePages

extension AuthFeature {
    /// - Parameter focusesNumber: false while the page shows a message above the form.
    static func view(_ state: State, focusesNumber: Bool = true) -> HTML<Action> {
        main(.id("content"), .class("narrow")) {
            switch state.step {
            case .phoneNumber: phoneNumber(state, isFocused: focusesNumber)
            case .code(let number): code(state, sentTo: number)
            case .recoveryCode: recovery(state)
            }
        }
        .key("auth")
    }

    private static func phoneNumber(_ state: State, isFocused: Bool) -> HTML<Action> {
        form(.class("stack")) {
            h1 { "Sign in to LifeSignal" }
            if let words = state.inviterWords { p(.class("banner")) { words }.key("inviter") }
            if let words = state.signUpWords { p(.class("banner")) { words }.key("sign-up") }
            p {
                """
                LifeSignal tells the people you chose when you don’t check in, or when you call \
                for help.
                """
            }
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            countryField(
                state.country, showsAll: state.showsAllCountries, id: "country",
                isDisabled: state.isLoading, showAll: .otherCountryButtonTapped
            ) { .countryChosen($0) }
            field(
                "Phone number", id: "phone-number",
                hint: state.country.hint,
                error: state.error?.fieldWords,
                control: input(
                    .type("tel"), .name("tel"), .plain(.autocomplete, "tel"),
                    .plain(.inputmode, "tel"), .value(state.phoneNumber), .required
                )
                .attribute(isFocused ? .focusWhenShown : nil)
                .readOnly(state.isLoading).onInput { .phoneNumberChanged($0) }
            )
            submitButton(state.sendWords, isEnabled: !state.isLoading)
            p(.class("hint")) { state.codeHint }
            actionButton(AuthFeature.passkeyWords, class: "plain", .passkeyButtonTapped)
                .disabled(state.isLoading)
            if let request = state.passkeyRequest {
                passkeyRequest(request) { (answer: Result<PasskeyAssertion, UserFacingError>) in
                    .passkeyAnswered(answer)
                }
            }
            recoveryButton(state)
        }
        .onSubmit(.sendCodeButtonTapped)
        .key("phone-number")
    }

    private static func code(_ state: State, sentTo number: PhoneNumber) -> HTML<Action> {
        form(.class("stack")) {
            h1 { "Enter the code" }
            p { state.sentWords(to: number) }
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            field(
                "6-digit code", id: "code", hint: state.triesWords,
                error: state.error?.fieldWords,
                control: input(
                    .type("text"), .name("code"), .class("one-time-code"),
                    .plain(.autocomplete, "one-time-code"), .plain(.inputmode, "numeric"),
                    .value(state.verificationCode), .submits(atLength: SignInRules.codeLength),
                    .focusWhenShown
                )
                .readOnly(state.isLoading).onInput { .verificationCodeChanged($0) }
            )
            submitButton(state.verifyWords, isEnabled: state.canVerify)
            div(.class("stack")) {
                if let date = state.resendAvailableAt {
                    p(.class("hint")) {
                        "Didn’t get a code? You can ask for another in "
                        moment(date, .countdown)
                        "."
                    }
                } else {
                    actionButton("Send another code", class: "wide", .resendCodeButtonTapped)
                        .disabled(!state.canResend)
                }
                changeNumberButton(state)
                recoveryButton(state)
            }
            .key("resend")
        }
        .onSubmit(.verifyButtonTapped)
        .key("code")
    }

    private static func changeNumberButton(_ state: State) -> HTML<Action> {
        actionButton(
            "Change the phone number", .back, class: "plain", .changePhoneNumberButtonTapped
        )
        .disabled(state.isLoading)
    }

    private static func recoveryButton(_ state: State) -> HTML<Action> {
        actionButton(AuthFeature.recoveryWords, class: "plain", .recoveryButtonTapped)
            .disabled(state.isLoading)
    }

    private static func recovery(_ state: State) -> HTML<Action> {
        form(.class("stack")) {
            h1 { AuthFeature.recoveryTitle }
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            field(
                AuthFeature.recoveryField, id: "recovery-code", hint: AuthFeature.recoveryHint,
                error: state.error?.fieldWords,
                control: input(
                    .type("text"), .name("recovery-code"), .plain(.autocomplete, "off"),
                    .value(state.recoveryCode), .required, .focusWhenShown
                )
                .readOnly(state.isLoading).onInput { .recoveryCodeChanged($0) }
            )
            submitButton(state.recoverWords, isEnabled: !state.isLoading)
            changeNumberButton(state)
        }
        .onSubmit(.recoverButtonTapped)
        .key("recovery")
    }
}
