import Domain
import Features
import LivePages

extension SettingsFeature {
    static func view(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            errorNotice(state.error, dismiss: .dismissError)
            section(.class("card"), .labelled(by: "mute-title")) {
                h2(.id("mute-title")) { "Notifications" }
                NotificationPreferencesFeature.view(state.preferences).map { .preferences($0) }
            }
            alertTrigger(state.alertTrigger)
            PushFeature.settings(state.push, endpoint: state.ownEndpoint).map { .push($0) }
            PushEndpointsFeature.view(
                state.endpoints, sessions: state.sessions, own: state.push.status?.endpoint
            )
            .map { .endpoints($0) }
            installation()
            sessions(state)
            PasskeysFeature.view(state.passkeys).map { .passkeys($0) }
            SignInSecurityFeature.view(state.signInSecurity).map { .signInSecurity($0) }
            SourcesFeature.view(state.sources).map { .sources($0) }
            BlockedPeopleFeature.view(state.blocked).map { .blocked($0) }
            AdministrationFeature.view(state.administration).map { .administration($0) }
            export(state)
            section(.class("card"), .labelled(by: "leave-title")) {
                h2(.id("leave-title")) { "Delete account" }
                p {
                    """
                    Deleting your account removes everything about you at once. Your contacts are \
                    told.
                    """
                }
                deletion(state)
            }
            confirmation(state.confirmation, id: "settings-question").map { .confirmation($0) }
        }
        .key("settings").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

/// The section that installs the app. Hidden until the browser offers the installation to the
/// script. iOS makes no offer: users add the page to the home screen.
private func installation() -> HTML<SettingsFeature.Action> {
    section(.class("card"), .labelled(by: "install-title"), .installation, .hidden) {
        h2(.id("install-title")) { "Install the app" }
        p {
            """
            LifeSignal gets its own icon and opens faster, and this browser keeps what you press \
            offline more safely.
            """
        }
        button(.type("button"), .class("wide"), .installs) { "Install" }
    }
    .key("install")
}

/// The choice of how many presses raise an alert. The script stores the choice in this browser.
private func alertTrigger(_ chosen: AlertTrigger) -> HTML<SettingsFeature.Action> {
    section(.class("card"), .labelled(by: "alert-trigger-title")) {
        h2(.id("alert-trigger-title")) { SettingsFeature.alertTriggerTitle }
        fieldset(.class("stack")) {
            legend { SettingsFeature.alertTriggerHint }
            for trigger in AlertTrigger.allCases {
                label(.class("choice")) {
                    input(
                        .type("radio"), .name("alert-trigger"), .value(trigger.rawValue),
                        .checked(trigger == chosen)
                    )
                    .onChoose { _ in .alertTriggerChosen(trigger) }
                    span { trigger.words }
                }
            }
        }
    }
    .key("alert-trigger")
}

/// The delete button. The field for the code replaces the button once the server has sent a code.
private func deletion(_ state: SettingsFeature.State) -> HTML<SettingsFeature.Action> {
    guard let code = state.deletionCode else {
        return actionButton(
            state.deleteWords, class: "danger wide", .deleteAccountButtonTapped
        )
        .disabled(state.isDeletingAccount)
    }
    return form(.class("stack")) {
        field(
            "6-digit code", id: "deletion-code", hint: "We sent it to your phone number.",
            error: nil,
            control: input(
                .type("text"), .name("code"), .class("one-time-code"),
                .plain(.autocomplete, "one-time-code"), .plain(.inputmode, "numeric"),
                .value(code), .focusWhenShown
            )
            .readOnly(state.isDeletingAccount).onInput { .deletionCodeChanged($0) })
        button(.type("submit"), .class("danger wide")) { state.deleteWords }
            .disabled(!state.canDeleteWithCode)
        actionButton("Keep my account", class: "plain wide", .deletionCancelled)
    }
    .onSubmit(.deletionCodeSubmitted)
    .key("deletion-code-form")
}

private func sessions(_ state: SettingsFeature.State) -> HTML<SettingsFeature.Action> {
    section(.class("card"), .labelled(by: "sessions-title")) {
        h2(.id("sessions-title")) { "Your devices" }
        if state.sessions.isEmpty, state.isLoading { loadingLine() }
        ul(.class("list")) {
            for session in state.sessions {
                li(.class("row")) {
                    div(.class("grow")) {
                        strong { session.deviceName }
                        p(.class("hint")) {
                            if session.isCurrent {
                                "This device"
                            } else {
                                "Last used "
                                moment(session.lastUsedAt, .relative)
                            }
                            ", signed in "
                            moment(session.createdAt, .absolute)
                        }
                    }
                    if !session.isCurrent {
                        actionButton(
                            "Sign out", class: "danger", .endSessionButtonTapped(session.id)
                        )
                        .attributes(.label("Sign out \(session.deviceName)"))
                        .disabled(state.endingSession != nil)
                    }
                }
                .key("\(session.id)")
            }
        }
        .key("sessions")
    }
}

private func export(_ state: SettingsFeature.State) -> HTML<SettingsFeature.Action> {
    section(.class("card"), .labelled(by: "export-title")) {
        h2(.id("export-title")) { "Your data" }
        p { "Everything LifeSignal has about you, as one JSON file." }
        announcement(.polite, .class("notice")) {
            if state.exportedFile != nil {
                p { "Your file is ready." }
                div(.class("row")) {
                    a(
                        .class("button primary"), .href(.download(exportName)),
                        .plain(.download, exportName)
                    ) { "Save the file" }
                    actionButton("Done", .exportHandedOver)
                }
            }
        }
        if state.exportedFile == nil {
            actionButton(state.exportWords, class: "wide", .exportButtonTapped)
                .disabled(state.isExporting)
        }
    }
}
