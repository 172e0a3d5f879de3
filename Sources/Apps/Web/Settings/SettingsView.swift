import Domain
import Features
import LivePages

extension SettingsFeature {
    /// The devices that are signed in, what is told, a copy of everything, and leaving.
    static func view(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            errorNotice(state.error, dismiss: .dismissError)
            section(.class("card"), .labelled(by: "mute-title")) {
                h2(.id("mute-title")) { "Notifications" }
                NotificationPreferencesFeature.view(state.preferences).map { .preferences($0) }
            }
            PushFeature.settings(state.push, endpoint: state.ownEndpoint).map { .push($0) }
            PushEndpointsFeature.view(
                state.endpoints, sessions: state.sessions, own: state.push.status?.endpoint
            )
            .map { .endpoints($0) }
            sessions(state)
            BlockedPeopleFeature.view(state.blocked).map { .blocked($0) }
            export(state)
            section(.class("card"), .labelled(by: "leave-title")) {
                h2(.id("leave-title")) { "Delete account" }
                p {
                    """
                    Deleting your account removes everything about you at once. Your contacts are \
                    told.
                    """
                }
                actionButton(
                    state.deleteWords, class: "danger wide",
                    .deleteAccountButtonTapped
                )
                .disabled(state.isDeletingAccount)
            }
            confirmation(state.confirmation, id: "settings-question").map { .confirmation($0) }
        }
        .key("settings").onAppear(.onAppear).onDisappear(.onDisappear)
    }
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
