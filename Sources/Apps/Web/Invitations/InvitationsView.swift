import Domain
import Features
import LivePages

extension InvitationsFeature {
    /// Whom the user has invited, and the form for one more.
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "invitations-title")) {
            h2(.id("invitations-title")) { "Somebody without LifeSignal" }
            p(.class("hint")) {
                """
                They get one message with a link, and answer yes or no. After a yes they are told \
                when you need help: by text message and call, or by e-mail.
                """
            }
            errorNotice(state.error, dismiss: .dismissError)
            if !state.invitations.isEmpty { list(state) }
            form(.class("stack")) {
                field(
                    "Their name", id: "invited-name",
                    control: input(
                        .type("text"), .name("invited-name"), .plain(.autocomplete, "off"), .draft,
                        .value(state.name)
                    )
                    .readOnly(state.isLoading).onInput { .nameChanged($0) })
                field(
                    "Their phone number or e-mail address", id: "invited-number",
                    hint: "A number starts with + and the country, e.g. +1 555 0100.",
                    control: input(
                        .type("text"), .name("invited-number"), .plain(.autocomplete, "off"),
                        .draft, .value(state.recipient)
                    )
                    .readOnly(state.isLoading).onInput { .recipientChanged($0) })
                submitButton(
                    state.sendWords, isEnabled: !state.isLoading)
            }
            .onSubmit(.inviteButtonTapped)
            .key("invitation-form")
        }
        .onAppear(.onAppear).onDisappear(.onDisappear)
        .key("invitations")
    }

    private static func list(_ state: State) -> HTML<Action> {
        ul(.class("list"), .label("Invitations")) {
            for invitation in state.invitations {
                let name = ProfileRules.displayName(invitation.name)
                li(.class("row")) {
                    strong(.class("grow")) { name }
                    span(.class("quiet")) { invitation.words }
                    if invitation.state != .accepted {
                        actionButton(
                            "Take back", class: "plain", .withdrawButtonTapped(invitation.id)
                        )
                        .attributes(.label("Take back the invitation of \(name)"))
                        .disabled(state.isLoading)
                    }
                }
                .key("invitation-\(invitation.id)")
            }
        }
        .key("invitation-list")
    }
}
