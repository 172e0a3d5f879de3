import Domain
import Features
import LivePages

extension WebhookFeature {
    static func view(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            errorNotice(state.error, dismiss: .dismissError)
            if let form = state.form {
                fields(form, state)
            } else {
                actionButton(WebhookFeature.openWords, class: "wide", .openButtonTapped)
            }
        }
        .key("webhook")
    }

    private static func fields(_ content: Form, _ state: State) -> HTML<Action> {
        form(.class("stack")) {
            templateField(content, state)
            field(
                content.addressTitle, id: "webhook-url", hint: content.addressHint,
                control: input(
                    .type("text"), .name("webhook-url"), .plain(.autocomplete, "off"),
                    .plain(.inputmode, "url"), .value(content.url)
                )
                .readOnly(state.isAdding).onInput { .urlChanged($0) })
            if content.template.needsChat {
                field(
                    content.chatTitle, id: "webhook-chat", hint: content.chatHint,
                    control: input(
                        .type("text"), .name("webhook-chat"), .plain(.autocomplete, "off"),
                        .value(content.chat)
                    )
                    .readOnly(state.isAdding).onInput { .chatChanged($0) })
            }
            if content.template.usesToken {
                field(
                    content.tokenTitle, id: "webhook-token", hint: content.tokenHint,
                    control: input(
                        .type("password"), .name("webhook-token"), .plain(.autocomplete, "off"),
                        .value(content.token)
                    )
                    .readOnly(state.isAdding).onInput { .tokenChanged($0) })
            }
            submitButton(state.addWords, isEnabled: !state.isAdding)
            actionButton(WebhookFeature.closeWords, class: "plain wide", .closeButtonTapped)
                .disabled(state.isAdding)
        }
        .onSubmit(.addButtonTapped)
        .key("webhook-form")
    }

    private static func templateField(_ content: Form, _ state: State) -> HTML<Action> {
        field(
            WebhookFeature.templateTitle, id: "webhook-template",
            control: select(.name("webhook-template"), .plain(.autocomplete, "off")) {
                for template in WebhookFeature.templates {
                    option(.value(template.rawValue), .selected(template == content.template)) {
                        template.title
                    }
                }
            }
            .disabled(state.isAdding)
            .onChoose { .templateChosen(WebhookTemplate(rawValue: $0) ?? content.template) })
    }
}
