import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct CheckInHistory: View {
    let store: StoreOf<CheckInFeature>

    var body: some View {
        Card {
            DisclosureGroup("Your check-ins") {
                VStack(alignment: .leading, spacing: 12) {
                    if store.checkInHistory.isEmpty {
                        Quiet(store.emptyHistoryWords)
                    }
                    ForEach(store.checkInHistory) { checkIn in
                        Text.when(checkIn.occurredAt)
                        if checkIn.cameLate {
                            Quiet(Text("Received at ") + .moment(checkIn.receivedAt))
                        }
                    }
                    if store.nextHistoryPage != nil {
                        WideButton("Show earlier check-ins") { store.send(.loadMoreHistory) }
                            .disabled(store.isLoadingHistory)
                    }
                }
                .frame(maxWidth: .infinity, alignment: .leading)
            }
        }
    }
}
