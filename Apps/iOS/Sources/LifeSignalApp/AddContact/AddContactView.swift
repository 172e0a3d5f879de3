import ComposableArchitecture
import Features
import SwiftUI

/// The sheet where the user chooses roles for the owner of a scanned code.
struct AddContactView: View {
    @Bindable var store: StoreOf<AddContactFeature>

    var body: some View {
        SheetFrame(
            title: "Add a contact", closeLabel: "Cancel",
            close: { store.send(.cancelButtonTapped) }
        ) {
            ErrorNotice(store.error) { store.send(.dismissError) }
            if store.owner != nil {
                owner
            } else if store.isLoading {
                LoadingLine(words: "Looking up the code …")
            } else {
                if store.canLookUpAgain { Text("We don’t know whose code this is.") }
                WideButton("Try another code", .scan, kind: .primary) {
                    store.send(.otherCodeButtonTapped)
                }
                if store.canLookUpAgain {
                    WideButton("Look it up again") { store.send(.retryButtonTapped) }
                }
            }
        }
    }

    @ViewBuilder private var owner: some View {
        HStack(spacing: 12) {
            PersonPicture(store.displayName, url: nil)
            Text(store.displayName).bold()
        }
        Heading("How should you and \(store.displayName) help each other?")
        Group {
            Toggle(
                "My responder: is told when I need help",
                isOn: $store.isResponder.sending(\.isResponderChanged))
            Toggle(
                "I watch over them: I am told when they need help",
                isOn: $store.isDependent.sending(\.isDependentChanged))
        }
        .disabled(store.isAdding)
        Quiet(
            """
            Choose at least one. \(store.displayName) is told, and must accept before becoming \
            your responder.
            """)
        SubmitButton(
            store.isAdding ? "Adding …" : "Add \(store.displayName)", isEnabled: store.canAdd
        ) {
            store.send(.addButtonTapped)
        }
    }
}
