import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The people who can't add, ping or see the user.
struct BlockedPeopleView: View {
    let store: StoreOf<BlockedPeopleFeature>

    var body: some View {
        Card {
            Heading("Blocked people")
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let people = store.people {
                list(people)
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.retryButtonTapped) }
            }
        }
        .onAppear { store.send(.onAppear) }
    }

    @ViewBuilder private func list(_ people: [BlockedPerson]) -> some View {
        if people.isEmpty { Quiet("No one. You can block someone in their contact details.") }
        ForEach(people) { person in
            let name = ProfileRules.displayName(person.name)
            VStack(alignment: .leading, spacing: 4) {
                Text(name).bold()
                Quiet(Text("Blocked ") + .moment(person.blockedAt))
                WideButton(store.unblocking == person.id ? "Unblocking …" : "Unblock") {
                    store.send(.unblockButtonTapped(person.id))
                }
                .accessibilityLabel("Unblock \(name)")
                .disabled(store.unblocking != nil)
            }
        }
    }
}
