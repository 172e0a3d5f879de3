import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The person's passkeys.
struct PasskeysView: View {
    @Bindable var store: StoreOf<PasskeysFeature>

    var body: some View {
        Card {
            Heading(PasskeysFeature.title)
            Text(PasskeysFeature.hint)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let passkeys = store.passkeys {
                list(passkeys)
                if store.isFull {
                    Quiet(RefusalWords.passkeysFull.detail)
                } else {
                    AddPasskeyButton(store: store)
                }
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.retryButtonTapped) }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private func list(_ passkeys: [Passkey]) -> some View {
        if passkeys.isEmpty { Quiet(PasskeysFeature.noPasskeys) }
        ForEach(passkeys) { passkey in
            if passkey.id == store.renaming {
                nameForm
            } else {
                row(passkey)
            }
        }
    }

    private func row(_ passkey: Passkey) -> some View {
        VStack(alignment: .leading, spacing: 4) {
            Text(passkey.name).bold()
            Quiet(use(of: passkey) + Text(", added ") + .moment(passkey.createdAt))
            WideButton("Rename") { store.send(.renameButtonTapped(passkey.id)) }
                .accessibilityLabel("Rename \(passkey.name)")
                .disabled(store.isChanging)
            WideButton("Remove", kind: .danger) { store.send(.removeButtonTapped(passkey.id)) }
                .accessibilityLabel("Remove \(passkey.name)")
                .disabled(store.isChanging)
        }
    }

    private func use(of passkey: Passkey) -> Text {
        guard let time = passkey.lastUsedAt else { return Text("Not used yet") }
        return Text("Last used ") + .since(time)
    }

    @ViewBuilder private var nameForm: some View {
        Field(PasskeysFeature.nameTitle, text: $store.name.sending(\.nameChanged))
            .disabled(store.isChanging)
        SubmitButton("Save", isEnabled: !store.isChanging) { store.send(.saveNameButtonTapped) }
        WideButton("Keep the name", kind: .plain) { store.send(.cancelNameButtonTapped) }
    }
}

/// The offer after onboarding.
struct PasskeyOffer: View {
    let store: StoreOf<PasskeysFeature>

    var body: some View {
        Quiet(PasskeysFeature.hint)
        ErrorNotice(store.error) { store.send(.dismissError) }
        if store.passkeys?.isEmpty == false {
            Text(PasskeysFeature.added).announced(PasskeysFeature.added)
        } else {
            AddPasskeyButton(store: store)
        }
    }
}

private struct AddPasskeyButton: View {
    let store: StoreOf<PasskeysFeature>

    var body: some View {
        WideButton(store.addWords) { store.send(.addButtonTapped) }
            .disabled(store.isAdding)
            .makesPasskey(for: store.request) { store.send(.passkeyMade($0)) }
    }
}
