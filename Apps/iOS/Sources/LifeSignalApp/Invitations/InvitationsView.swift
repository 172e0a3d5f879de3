import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

struct InvitationsView: View {
    @Bindable var store: StoreOf<InvitationsFeature>
    @FocusState private var isNameFocused: Bool

    var body: some View {
        Card {
            Heading("Someone without LifeSignal")
            Quiet(
                """
                They get one message with a link, and answer yes or no. If they say yes, they are \
                told when you need help: by text message and call, or by e-mail.
                """)
            ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
            ForEach(store.invitations) { invitation in row(invitation) }
            if let words = store.noAnswerWords { Quiet(words) }
            if let words = store.newHolderWords { Quiet(words) }
            Field(
                "Their name", text: $store.name.sending(\.nameChanged),
                error: store.isNameRefused ? store.error?.fieldWords : nil
            )
            .focused($isNameFocused)
            .disabled(store.isLoading)
            Field(
                "Their phone number or e-mail address",
                text: $store.recipient.sending(\.recipientChanged),
                hint: store.country.hint,
                error: store.isNameRefused ? nil : store.error?.fieldWords
            )
            .textInputAutocapitalization(.never)
            .autocorrectionDisabled()
            .disabled(store.isLoading)
            CountryPicker(country: $store.country.sending(\.countryChosen))
                .disabled(store.isLoading)
            SubmitButton(store.sendWords, isEnabled: !store.isLoading) {
                store.send(.inviteButtonTapped)
            }
        }
        .onAppear { store.send(.onAppear) }
        .task(id: store.timesOpened) { if store.timesOpened > 0 { isNameFocused = true } }
        .onDisappear { store.send(.onDisappear) }
    }

    private func row(_ invitation: Invitation) -> some View {
        let name = ProfileRules.displayName(invitation.name)
        return HStack(spacing: 12) {
            Text(name).bold()
            Spacer()
            Quiet(invitation.words)
            if invitation.state != .accepted {
                Button("Take back") { store.send(.withdrawButtonTapped(invitation.id)) }
                    .accessibilityLabel("Take back the invitation of \(name)")
                    .disabled(store.isLoading)
            }
        }
        .frame(minHeight: 44)
    }
}
