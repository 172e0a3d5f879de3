import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// Unanswered requests and pings, and the state of the user's protection.
struct HomeCardsView: View {
    let store: StoreOf<HomeCardsFeature>

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

    /// A card about responders. It is hidden until the state is known, and once a responder has
    /// accepted.
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

    /// A card about reaching the responders. It is hidden until the state is known, and once a
    /// delivery to a responder was confirmed.
    @ViewBuilder private var audience: some View {
        if let card = store.audienceCard {
            Card(tone: card.tone.card) {
                Heading(card.title)
                Text(card.text)
            }
        }
    }
}
