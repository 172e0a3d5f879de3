import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The form that adds a webhook.
struct WebhookView: View {
    @Bindable var store: StoreOf<WebhookFeature>

    var body: some View {
        ErrorNotice(store.error) { store.send(.dismissError) }
        if let form = store.form {
            fields(form)
        } else {
            WideButton(WebhookFeature.openWords) { store.send(.openButtonTapped) }
        }
    }

    @ViewBuilder private func fields(_ form: WebhookFeature.Form) -> some View {
        Picker(
            WebhookFeature.templateTitle,
            selection: $store[value: \.template, send: \.templateChosen]
        ) {
            ForEach(WebhookFeature.templates, id: \.self) { template in
                Text(template.title).tag(template)
            }
        }
        .pickerStyle(.menu)
        .disabled(store.isAdding)
        Field(
            form.addressTitle, text: $store[value: \.url, send: \.urlChanged],
            hint: form.addressHint
        )
        .disabled(store.isAdding)
        if form.template.needsChat {
            Field(
                form.chatTitle, text: $store[value: \.chat, send: \.chatChanged],
                hint: form.chatHint
            )
            .disabled(store.isAdding)
        }
        if form.template.usesToken {
            Field(
                form.tokenTitle, text: $store[value: \.token, send: \.tokenChanged],
                hint: form.tokenHint
            )
            .disabled(store.isAdding)
        }
        SubmitButton(store.state.addWords, isEnabled: !store.isAdding) {
            store.send(.addButtonTapped)
        }
        WideButton(WebhookFeature.closeWords, kind: .plain) { store.send(.closeButtonTapped) }
            .disabled(store.isAdding)
    }
}
