import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct RespondersView<Messages: View>: View {
    @Bindable var store: StoreOf<RespondersFeature>
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
    @ViewBuilder let messages: Messages

    var body: some View {
        Page { content }
            .navigationTitle("Responders")
            .toolbar {
                ToolbarItem(placement: .topBarLeading) {
                    Button("Add") { store.send(.showQRScanner) }
                        .accessibilityLabel("Add a responder")
                }
            }
            .refreshable { @MainActor in await store.send(.refreshPulled).finish() }
            .onAppear { store.send(.onAppear) }
            .onDisappear { store.send(.onDisappear) }
            .contactSheets(
                details: store.scope(state: \.contactDetails, action: \.contactDetails),
                scanner: store.scope(state: \.qrScanner, action: \.qrScanner),
                addition: store.scope(state: \.addContact, action: \.addContact),
                knownUntil: knownUntil, offersInvitation: true)
    }

    @ViewBuilder private var content: some View {
        let responders = store.sortedResponders
        messages
        ErrorNotice(store.error) { store.send(.dismissError) }
        ContactNotices(alerts: store.alerts) { store.send(.dismissAlerts) }
        if store.pendingPingsCount > 0 { pingsToAnswer }
        if !responders.isEmpty {
            ForEach(responders) { responder in card(responder) }
            CallOrder(store: store)
            if !store.responderOrder.isEmpty {
                DrillView(store: store.scope(state: \.drill, action: \.drill))
            }
        } else if store.isLoading {
            LoadingLine(words: "Loading your responders …")
        } else {
            EmptyState(
                .responders, "No one will be alerted",
                """
                A responder is told when you miss a check-in or raise an alert. Scan a \
                person’s code to add them.
                """
            ) {
                WideButton("Add a responder", .scan, kind: .primary) {
                    store.send(.showQRScanner)
                }
            }
        }
        InvitationsView(store: store.scope(state: \.invitations, action: \.invitations))
    }

    private var pingsToAnswer: some View {
        let count = store.pendingPingsCount
        return Card(tone: .warning) {
            Heading(
                count == 1
                    ? "1 responder asks whether you are fine"
                    : "\(count) responders ask whether you are fine")
            if count > 1 {
                WideButton("I’m fine: answer all", .check, kind: .primary) {
                    store.send(.ping(.respondToAllPings))
                }
                .disabled(store.ping.isInFlight(.respondToAll))
            } else {
                Quiet("Answer on their card below. A check-in answers too.")
            }
        }
    }

    private func card(_ contact: ContactData) -> some View {
        Card(tone: contact.hasPendingPing ? .warning : .plain) {
            ContactHead(contact: contact, select: { store.send(.selectContact(contact)) }) {
                status(of: contact)
            }
            if contact.hasPendingPing { pingToAnswer(of: contact) }
            if contact.isResponder, let number = contact.phoneNumber {
                CallLink(number: number, name: ProfileRules.displayName(contact.name))
            }
        }
    }

    @ViewBuilder private func status(of contact: ContactData) -> some View {
        if contact.hasPendingPing {
            StatusPill("Waits for your answer", .warning)
        } else if let request = contact.request(.responder) {
            RequestPill(request: request)
            Quiet(
                request.isMine
                    ? "You asked them to be your responder" : "Asks to be your responder")
        } else {
            Quiet(
                contact.isDependent
                    ? "Is told when you need help; you watch over each other"
                    : "Is told when you need help")
            if let words = contact.reachability?.words { Quiet(words) }
        }
    }

    @ViewBuilder private func pingToAnswer(of contact: ContactData) -> some View {
        if let asked = store.ping.pendingPing(from: contact.id) {
            Text("Are you fine?") + Text(" Asked ") + .since(asked.createdAt)
        } else {
            Text("Are you fine?")
        }
        WideButton("I’m fine", .check, kind: .primary) {
            store.send(.ping(.respondToPing(contact.id)))
        }
        .accessibilityLabel("I’m fine: answer \(ProfileRules.displayName(contact.name))")
        .disabled(
            store.ping.isInFlight(.respond(contact.id)) || store.ping.isInFlight(.respondToAll))
    }
}

/// The call order of the responders. Empty if there are fewer than two.
struct CallOrder: View {
    let store: StoreOf<RespondersFeature>

    var body: some View {
        let order = store.responderOrder
        if order.count > 1 {
            Card {
                Heading("Who is called first")
                Quiet(
                    """
                    If no one takes on your alert, we call your responders in this order, two at a \
                    time. Some servers make no calls.
                    """)
                ForEach(Array(order.enumerated()), id: \.element.id) { index, contact in
                    row(contact, number: index + 1)
                }
            }
        }
    }

    private func row(_ contact: ContactData, number: Int) -> some View {
        let name = ProfileRules.displayName(contact.name)
        return VStack(alignment: .leading, spacing: 4) {
            Text("\(number). \(name)").bold()
            HStack(spacing: 16) {
                Button("Move up") { store.send(.moveResponder(contact.id, .up)) }
                    .accessibilityLabel("Move \(name) up")
                    .disabled(!store.state.canMove(contact.id, .up))
                Button("Move down") { store.send(.moveResponder(contact.id, .down)) }
                    .accessibilityLabel("Move \(name) down")
                    .disabled(!store.state.canMove(contact.id, .down))
            }
            .frame(minHeight: 44)
        }
    }
}
