import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct PushEndpointsView: View {
    @Bindable var store: StoreOf<PushEndpointsFeature>
    let sessions: [Session]
    /// This device's endpoint, which has a card of its own; nil if there is none.
    let own: PushEndpointID?

    var body: some View {
        Card {
            Heading("Other devices that are told")
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let endpoints = store.endpoints {
                list(endpoints.filter { $0.id != own })
                WebhookView(store: store.scope(state: \.webhook, action: \.webhook))
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.load) }
            }
        }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private func list(_ endpoints: [PushEndpoint]) -> some View {
        if endpoints.isEmpty {
            Quiet("None. Turn on notifications in each browser that you use.")
        }
        ForEach(endpoints) { endpoint in
            let name = endpoint.name(among: sessions)
            VStack(alignment: .leading, spacing: 4) {
                Text(name).bold()
                EndpointFacts(endpoint: endpoint)
                if let note = store.state.testNote(endpoint.id) { Quiet(note) }
                if endpoint.kind == .webhook {
                    WideButton(store.state.testWords(endpoint.id)) {
                        store.send(.testButtonTapped(endpoint.id))
                    }
                    .accessibilityLabel("Send a test to \(name)")
                    .disabled(store.test?.isSent == false)
                }
                WideButton(
                    store.removing == endpoint.id ? "Removing …" : "Remove", kind: .danger
                ) {
                    store.send(.removeButtonTapped(endpoint.id, name: name))
                }
                .accessibilityLabel("Remove \(name)")
                .disabled(store.removing != nil)
            }
        }
    }
}

struct EndpointFacts: View {
    let endpoint: PushEndpoint

    var body: some View {
        if let success = endpoint.lastSuccessAt {
            Quiet(Text("Last message ") + .since(success))
        } else {
            Quiet(Text("No message yet, registered ") + .since(endpoint.createdAt))
        }
        if let words = endpoint.failureWords {
            Quiet(failure(words))
        }
    }

    private func failure(_ words: String) -> Text {
        guard let since = endpoint.failingSince else { return Text(words) }
        return Text(words) + Text(" Nothing has arrived since ") + .moment(since)
            + Text(verbatim: ".")
    }
}
