import Domain
import Features
import LivePages

extension InvitationsFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "invitations-title")) {
            h2(.id("invitations-title")) { "Someone without LifeSignal" }
            p(.class("hint")) {
                """
                They get one message with a link, and answer yes or no. If they say yes, they are \
                told when you need help: by text message and call, or by e-mail.
                """
            }
            errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
            if !state.invitations.isEmpty { list(state) }
            if let words = state.noAnswerWords { p(.class("hint")) { words } }
            if let words = state.newHolderWords { p(.class("hint")) { words } }
            form(.class("stack")) {
                field(
                    "Their name", id: "invited-name",
                    error: state.isNameRefused ? state.error?.fieldWords : nil,
                    control: name(state))
                field(
                    "Their phone number or e-mail address", id: "invited-number",
                    hint: state.country.hint,
                    error: state.isNameRefused ? nil : state.error?.fieldWords,
                    control: input(
                        .type("text"), .name("invited-number"), .plain(.autocomplete, "off"),
                        .draft, .value(state.recipient)
                    )
                    .readOnly(state.isLoading).onInput { .recipientChanged($0) })
                countryField(
                    state.country, showsAll: state.showsAllCountries, id: "invited-country",
                    isDisabled: state.isLoading, showAll: .otherCountryButtonTapped
                ) { .countryChosen($0) }
                submitButton(
                    state.sendWords, isEnabled: !state.isLoading)
            }
            .onSubmit(.inviteButtonTapped)
            .key("invitation-form-\(state.timesOpened)")
        }
        .onAppear(.onAppear).onDisappear(.onDisappear)
        .key("invitations")
    }

    /// The field for the name. It takes the focus when another screen opens this form.
    private static func name(_ state: State) -> HTML<Action> {
        let field = input(
            .type("text"), .name("invited-name"), .plain(.autocomplete, "off"), .draft,
            .value(state.name)
        )
        .readOnly(state.isLoading).onInput { Action.nameChanged($0) }
        return state.timesOpened == 0 ? field : field.attributes(.focusWhenShown)
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
