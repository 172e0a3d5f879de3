import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// Announces the end of another person's alert on every screen. Green, without the red triangle of
/// an open alert.
struct AlertNewsView: View {
    let store: StoreOf<AlertNewsFeature>
    let contacts: IdentifiedArrayOf<ContactData>

    var body: some View {
        ForEach(store.news) { end in
            let name = ProfileRules.displayName(contacts[id: end.user]?.name ?? "")
            let words = endWords(end.kind, name)
            Banner(.fine, .check) {
                Text(words).bold() + Text(verbatim: end.timeTitle) + .since(end.time)
                Spacer()
                Button("OK") { store.send(.dismissButtonTapped(end.id)) }
                    .accessibilityLabel("OK: \(words)")
            }
            .announced(words)
        }
    }
}
