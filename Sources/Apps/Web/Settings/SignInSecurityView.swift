import Domain
import Features
import LivePages

extension SignInSecurityFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "sign-in-security-title")) {
            h2(.id("sign-in-security-title")) { SignInSecurityFeature.title }
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite, .class("notice")) {
                if let wait = state.security?.wait { waiting(wait, state) }
            }
            if let security = state.security {
                lock(security, state)
                codes(state)
            } else if state.error == nil {
                loadingLine()
            } else {
                actionButton("Load again", .retryButtonTapped)
            }
            confirmation(state.confirmation, id: "recovery-question").map { .confirmation($0) }
        }
        .key("sign-in-security").onAppear(.onAppear).onDisappear(.onDisappear)
    }

    private static func waiting(_ wait: SignInWait, _ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p { SignInSecurityFeature.waitWords(wait) }
            p {
                "\(SignInSecurityFeature.waitEndsTitle) "
                moment(wait.endsAt, .absolute)
                ". \(SignInSecurityFeature.waitHint)"
            }
            actionButton(
                SignInSecurityFeature.stopWords, class: "primary wide", .stopWaitButtonTapped
            )
            .disabled(state.isChanging)
        }
        .key("sign-in-wait")
    }

    private static func lock(_ security: SignInSecurity, _ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p { SignInSecurityFeature.lockHint }
            if !security.isLocked {
                actionButton(SignInSecurityFeature.lockWords, class: "wide", .lockButtonTapped)
                    .disabled(state.isChanging)
            } else {
                if let end = security.lockEndsAt {
                    p {
                        "\(SignInSecurityFeature.lockEndsTitle) "
                        moment(end, .absolute)
                        "."
                    }
                    actionButton(
                        SignInSecurityFeature.keepLockWords, class: "wide", .lockButtonTapped
                    )
                    .disabled(state.isChanging)
                } else {
                    p { SignInSecurityFeature.lockedHint }
                }
                unlockForm(state)
            }
        }
        .key("sign-in-lock")
    }

    private static func unlockForm(_ state: State) -> HTML<Action> {
        form(.class("stack")) {
            field(
                SignInSecurityFeature.codeTitle, id: "recovery-code",
                hint: SignInSecurityFeature.codeHint,
                control: input(
                    .type("text"), .name("recovery-code"), .plain(.autocomplete, "off"),
                    .value(state.recoveryCode)
                )
                .readOnly(state.isChanging).onInput { .recoveryCodeChanged($0) })
            submitButton(state.unlockWords, isEnabled: !state.isChanging)
        }
        .onSubmit(.unlockButtonTapped)
        .key("unlock-form")
    }

    private static func codes(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            h3 { SignInSecurityFeature.codesTitle }
            p { SignInSecurityFeature.codesHint }
            announcement(.polite, .class("notice")) {
                if let codes = state.newCodes { newCodes(codes) }
            }
            if state.newCodes == nil {
                p(.class("hint")) { state.leftWords }
                actionButton(state.makeWords, class: "wide", .makeCodesButtonTapped)
                    .disabled(state.isChanging)
            }
            codesRequest(state)
        }
        .key("recovery-codes")
    }

    /// device.js keeps the id of the request, and brings it back after a restart of the server.
    private static func codesRequest(_ state: State) -> HTML<Action> {
        let id = state.codesRequest?.uuidString ?? (state.isCodesRequestOver ? "over" : "")
        return span(.hidden, .data("codes", id)) { "" }
            .onInput { .codesRequestKept($0) }
            .key("codes-request")
    }

    private static func newCodes(_ codes: [String]) -> HTML<Action> {
        div(.class("stack")) {
            h3 { SignInSecurityFeature.newCodesTitle }
            p { SignInSecurityFeature.newCodesHint }
            ul(.class("list")) {
                for code in codes { li { p(.class("code")) { code } }.key(code) }
            }
            // Without a copy button: a computer's clipboard is shared and has no expiry.
            actionButton("Done", class: "primary wide", .doneButtonTapped)
        }
        .key("new-codes")
    }
}
