import Clients
import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

struct PushCard: View {
    let card: PushFeature.Card?
    let store: StoreOf<PushFeature>

    var body: some View {
        if let card {
            Card {
                Heading(card.title(in: .app))
                Text(card.text(in: .app))
                if let title = card.turnOnTitle { TurnOnButton(title: title, store: store) }
                WideButton(card.laterTitle) { store.send(.notNowButtonTapped) }
            }
            .announced(card.title(in: .app))
        }
    }
}

private struct TurnOnButton: View {
    let title: String
    let store: StoreOf<PushFeature>

    var body: some View {
        WideButton(store.isBusy ? "Turning on …" : title, .bell, kind: .primary) {
            store.send(.turnOnButtonTapped)
        }
        .disabled(store.isBusy)
    }
}

struct PushSettings: View {
    let store: StoreOf<PushFeature>
    /// This device's endpoint at the server; nil until it has loaded.
    let endpoint: PushEndpoint?
    @Environment(\.openURL) private var openURL

    var body: some View {
        Card {
            Heading(AppWords.pushTitle)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let words = store.statusWords {
                StatusPill(words, store.isOn ? .normal : .warning)
                Text(store.state.explanationWords(in: .app))
                if store.isOn, let endpoint { EndpointFacts(endpoint: endpoint) }
                if let text = store.testSentWords { Text(text) }
            } else {
                Quiet(store.state.explanationWords(in: .app))
            }
            buttons
        }
    }

    @ViewBuilder private var buttons: some View {
        switch store.status?.permission {
        case .undecided, .granted:
            if store.isOn {
                WideButton(store.testWords, .bell) {
                    store.send(.testButtonTapped)
                }
                .disabled(store.test == .sending)
                WideButton("Turn off") { store.send(.turnOffButtonTapped) }
                    .disabled(store.isBusy)
            } else {
                TurnOnButton(title: "Turn on notifications", store: store)
            }
        case .denied:
            if let url = URL(string: UIApplication.openNotificationSettingsURLString) {
                WideButton(AppWords.openSettings) { openURL(url) }
            }
        case .unsupported, .needsInstallation, nil: EmptyView()
        }
    }
}
