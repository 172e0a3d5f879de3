import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct HomeView<Messages: View>: View {
    @Bindable var store: StoreOf<HomeFeature>
    @ViewBuilder let messages: Messages

    var body: some View {
        // Not a `Group`, which would attach the sheet to each branch. The sheet would then close
        // when the branch changes.
        ZStack {
            if store.alert.isOnOrBeingRaised {
                AlertScreen(
                    store: store.scope(state: \.alert, action: \.alert),
                    checkIn: store.scope(state: \.checkIn, action: \.checkIn),
                    journey: store.scope(state: \.journey, action: \.journey),
                    told: store.state.journeyTold,
                    emergency: store.emergencyNumber, responders: store.state.respondersToCall
                ) { messages }
            } else {
                Page(width: PageWidth.columns) { content }.navigationTitle("Home").toolbar {
                    ToolbarItem(placement: .topBarLeading) {
                        Button("Your code") { store.send(.qrCodeButtonTapped) }
                    }
                }
            }
        }
        .sheet(item: $store.scope(state: \.qrCode, action: \.qrCode)) { code in
            SheetFrame(title: "Your code", close: { store.send(.qrCode(.dismiss)) }) {
                QRCodeView(store: code)
            }
        }
        .checkInSheets(store.scope(state: \.checkIn, action: \.checkIn))
    }

    @ViewBuilder private var content: some View {
        let alert = store.scope(state: \.alert, action: \.alert)
        let checkIn = store.scope(state: \.checkIn, action: \.checkIn)
        let cards = store.scope(state: \.cards, action: \.cards)
        let journey = store.scope(state: \.journey, action: \.journey)
        // The check-in comes first, so that its button is on the first screen at every text size. A
        // journey is more urgent.
        Columns {
            OverdueJourney(
                store: alert, journey: journey, told: store.state.journeyTold,
                responders: store.state.respondersToCall, emergency: store.emergencyNumber)
            if store.alert.overdueJourney == nil {
                JourneyCard(store: journey, told: store.state.journeyTold)
            }
            CheckInView(
                store: checkIn, isProtected: store.state.isProtected, hasMissed: store.hasMissed,
                missedDeadline: store.state.missedDeadline)
            messages
            // An open alert comes before the notices about ended ones.
            MissedCheckIn(
                store: alert, responders: store.state.respondersToCall,
                emergency: store.emergencyNumber)
            AlertNotices(store: alert)
            DrillQuestions(
                store: store.scope(state: \.drill, action: \.drill),
                questions: store.state.drillQuestions)
            AccountNoticesView(notices: store.accountNotices)
            HomeCardsView(store: cards, mayDrill: store.state.mayDrill)
        } second: {
            if !store.hasMissed {
                PushCard(
                    card: store.pushCard, store: store.scope(state: \.push, action: \.push))
            }
            CheckInDetails(store: checkIn)
            JourneyEntry(store: journey)
            CheckInHistory(home: store)
            AlertHistory(store: alert)
        }
    }
}
