import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct HomeCardsView: View {
    let store: StoreOf<HomeCardsFeature>
    /// True if the user may start a drill now.
    let mayDrill: Bool

    var body: some View {
        ErrorNotice(store.error) { store.send(.dismissError) }
        ForEach(store.pings) { contact in ping(contact) }
        protection
        audience
        ForEach(store.requests) { request in card(request) }
    }

    private func ping(_ contact: ContactData) -> some View {
        let name = ProfileRules.displayName(contact.name)
        return Card(tone: .warning) {
            HStack(spacing: 8) {
                Symbol.bell.picture
                Text("\(name) asks: are you OK?").bold()
            }
            WideButton("I’m OK", .check, kind: .primary) {
                store.send(.answerPingButtonTapped(contact.id))
            }
            .accessibilityLabel("I’m OK: answer \(name)")
            .disabled(store.state.isAnswering(contact.id))
        }
        .announced("\(name) asks: are you OK?")
    }

    private func card(_ request: HomeCardsFeature.Request) -> some View {
        let name = ProfileRules.displayName(request.contact.name)
        let role =
            request.role == .dependent
            ? ": you watch over \(name)" : " \(name) as your responder"
        let isAnswering = store.state.isAnswering(request.contact.id)
        return Card(tone: .warning) {
            Text(request.title).bold()
            Text(request.effect)
            HStack(spacing: 12) {
                WideButton("Accept", .check, kind: .primary) {
                    store.send(.acceptButtonTapped(request.contact.id, request.role))
                }
                .accessibilityLabel("Accept\(role)")
                WideButton("Decline", .close) {
                    store.send(.declineButtonTapped(request.contact.id, request.role))
                }
                .accessibilityLabel("Decline\(role)")
            }
            .disabled(isAnswering)
        }
    }

    /// The card about missing protection. Hidden until the state is known, and after a responder
    /// has accepted.
    @ViewBuilder private var protection: some View {
        if let card = store.protectionCard {
            Card(tone: card.tone.card) {
                Heading(card.title)
                Text(card.text)
                if store.protection == .nobody {
                    WideButton("Add someone", .scan, kind: .primary) {
                        store.send(.addResponderButtonTapped)
                    }
                } else {
                    WideButton("Add someone else", .scan) {
                        store.send(.addResponderButtonTapped)
                    }
                }
            }
        }
    }

    /// The card about responders who may not be reached. Hidden until the state is known, and after
    /// a confirmed delivery to a responder.
    @ViewBuilder private var audience: some View {
        if let card = store.state.audienceCard(mayDrill: mayDrill) {
            Card(tone: card.tone.card) {
                Heading(card.title)
                Text(card.text)
            }
        }
    }
}
