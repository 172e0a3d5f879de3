import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct CheckInHistory: View {
    let home: StoreOf<HomeFeature>

    var body: some View {
        Card {
            DisclosureGroup("Your check-ins") {
                VStack(alignment: .leading, spacing: 12) {
                    if let month = home.scope(state: \.month, action: \.month),
                        let calendar = home.state.checkInMonth
                    {
                        WideButton(HomeFeature.listWords) { home.send(.listButtonTapped) }
                        CheckInMonthView(store: month, calendar: calendar)
                    } else {
                        WideButton(HomeFeature.monthWords) { home.send(.monthButtonTapped) }
                        list(home.scope(state: \.checkIn, action: \.checkIn))
                    }
                }
                .frame(maxWidth: .infinity, alignment: .leading)
            }
        }
    }

    @ViewBuilder private func list(_ store: StoreOf<CheckInFeature>) -> some View {
        if store.checkInHistory.isEmpty { Quiet(store.emptyHistoryWords) }
        ForEach(store.checkInHistory) { checkIn in
            Text.when(checkIn.occurredAt)
            if let source = checkIn.sourceWords { Quiet(source) }
            LateArrival(checkIn: checkIn)
        }
        if store.nextHistoryPage != nil {
            WideButton("Show earlier check-ins") { store.send(.loadMoreHistory) }
                .disabled(store.isLoadingHistory)
        }
    }
}

/// The time of arrival, if the check-in came late.
struct LateArrival: View {
    let checkIn: CheckInRecord

    var body: some View {
        if checkIn.cameLate { Quiet(Text("Received at ") + .moment(checkIn.receivedAt)) }
    }
}
