import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The first tab. An alert that is on takes the whole of it.
struct HomeView<Messages: View>: View {
    @Bindable var store: StoreOf<HomeFeature>
    @ViewBuilder let messages: Messages

    var body: some View {
        Group {
            if store.alert.isOnOrBeingRaised {
                AlertScreen(
                    store: store.scope(state: \.alert, action: \.alert),
                    emergency: store.emergencyNumber, responders: store.state.respondersToCall
                ) { messages }
            } else {
                Page { content }.navigationTitle("Home").toolbar {
                    ToolbarItem(placement: .topBarLeading) {
                        Button("Your code") { store.send(.qrCodeButtonTapped) }
                    }
                }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .sheet(item: $store.scope(state: \.qrCode, action: \.qrCode)) { code in
            SheetFrame(title: "Your code", close: { store.send(.qrCode(.dismiss)) }) {
                QRCodeView(store: code)
            }
        }
    }

    @ViewBuilder private var content: some View {
        let alert = store.scope(state: \.alert, action: \.alert)
        let checkIn = store.scope(state: \.checkIn, action: \.checkIn)
        let cards = store.scope(state: \.cards, action: \.cards)
        messages
        AlertNotices(store: alert)
        DrillQuestions(store: store.scope(state: \.drill, action: \.drill))
        // Somebody who is late needs the button, not a list of what else waits.
        if !store.hasMissed { HomeCardsView(store: cards) }
        CheckInView(
            store: checkIn, isProtected: store.cards.isProtected, hasMissed: store.hasMissed)
        if !store.hasMissed {
            PushCard(
                card: store.pushCard, store: store.scope(state: \.push, action: \.push))
        }
        MissedCheckIn(store: alert, responders: store.state.respondersToCall)
        if store.hasMissed { HomeCardsView(store: cards) }
        CheckInHistory(store: checkIn)
        AlertHistory(store: alert)
    }
}
