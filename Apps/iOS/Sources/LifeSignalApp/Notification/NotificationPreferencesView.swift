import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// One switch per type of notification. The user gets the types whose switch is on.
struct NotificationPreferencesView: View {
    @Bindable var store: StoreOf<NotificationPreferencesFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            WaitingBanner(store.waitingWords)
            ForEach(store.mutableTypes, id: \.self) { type in
                ChoiceRow(type.words, isOn: store.preferences.allows(type)) {
                    store.send(.muteToggled(type))
                }
                .disabled(!store.canMute)
            }
            Quiet("You always get alerts.")
        }
    }
}
