import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct ContactDetailsView: View {
    @Bindable var store: StoreOf<ContactDetailsSheetViewFeature>
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?

    var body: some View {
        SheetFrame(title: store.displayName, close: { store.send(.closeButtonTapped) }) {
            ErrorNotice(store.error) { store.send(.dismissError) }
            WaitingBanner(
                store.isWaitingToBeSent ? "The change of roles is waiting to be sent." : nil)
            requests
            if let contact = store.contact { reach(contact) }
            if let note = store.emergencyNote {
                Card {
                    Heading("Emergency note")
                    Text(note).textSelection(.enabled)
                }
            }
            pings
            roles
            ownRequests
            WideButton("Remove contact", .close, kind: .danger) {
                store.send(.removeButtonTapped)
            }
            .disabled(store.isBusy)
            WideButton("Block \(store.displayName)", .close, kind: .danger) {
                store.send(.blockButtonTapped)
            }
            .disabled(store.isBusy)
        }
        .onAppear { store.send(.onAppear) }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private var requests: some View {
        if !store.requestsToAnswer.isEmpty {
            Card(tone: .warning) {
                Heading("\(store.displayName) asks you")
                ForEach(store.requestsToAnswer, id: \.self) { role in
                    Text(
                        role == .responder
                            ? "May \(store.displayName) be your responder?"
                            : "Will you be the responder of \(store.displayName)?")
                    WideButton("Accept", .check, kind: .primary) {
                        store.send(.acceptButtonTapped(role))
                    }
                    .disabled(store.isBusy)
                    WideButton("Decline", .close) { store.send(.declineButtonTapped(role)) }
                        .disabled(store.isBusy)
                }
            }
        }
    }

    @ViewBuilder private var ownRequests: some View {
        if !store.ownRequests.isEmpty {
            Card {
                Heading("Not accepted yet")
                ForEach(store.ownRequests, id: \.self) { role in
                    Text(
                        role == .responder
                            ? "You asked \(store.displayName) to be your responder."
                            : "You asked to be \(store.displayName)’s responder.")
                    WideButton("Take back") { store.send(.withdrawButtonTapped(role)) }
                        .accessibilityLabel(
                            role == .responder
                                ? "Take back: \(store.displayName) as your responder"
                                : "Take back: you watch over \(store.displayName)"
                        )
                        .disabled(store.isBusy)
                }
            }
        }
    }

    private func reach(_ contact: ContactData) -> some View {
        Card {
            HStack(alignment: .top, spacing: 12) {
                PersonPicture(store.displayName, url: contact.profilePictureURL, isLarge: true)
                VStack(alignment: .leading, spacing: 6) {
                    if let watch = contact.watch { WatchPill(watch, knownUntil: knownUntil) }
                    if let number = contact.phoneNumber {
                        Text(number.text)
                    } else if contact.isByMail {
                        Quiet("By e-mail")
                    }
                }
            }
            if let number = contact.phoneNumber {
                CallLink(number: number, name: store.displayName)
            }
            if contact.needsHelp {
                WideButton("See the alert", .alert, kind: .primary) {
                    store.send(.alertButtonTapped)
                }
                .accessibilityLabel("See \(store.displayName)’s alert")
            }
            if let watch = contact.watch {
                JourneyFact(watch: watch)
                Fact("Should check in by", deadline(watch))
                Fact(
                    "Last check-in",
                    watch.lastCheckInTime.map { Text.when($0) + .theirs($0, watch) }
                        ?? Text("None yet"))
                Fact("Schedule", Text(watch.planWords))
            }
            Fact("Contact since", .when(contact.dateAdded))
        }
    }

    private func deadline(_ watch: ContactData.WatchedState) -> Text {
        if let end = watch.shownPause { return Text.paused(until: end) + .theirs(end, watch) }
        return watch.nextCheckInTime.map { Text.when($0) + .theirs($0, watch) }
            ?? Text(watch.noDeadlineWords ?? "None yet")
    }

    @ViewBuilder private var pings: some View {
        if store.canPing || store.canClearPing || store.canRespondToPing {
            Card {
                Heading("Pings")
                if store.canRespondToPing {
                    Text("\(store.displayName) asks whether you are fine.")
                    WideButton("I’m fine", .check, kind: .primary) {
                        store.send(.respondToPingButtonTapped)
                    }
                }
                if store.isPingWaitingToBeSent {
                    Text("Your ping is waiting to be sent.")
                    clear
                } else if let pinged = store.contact?.pingedAt {
                    Text("\(store.state.pingedWords) ") + .since(pinged) + Text(". No answer yet.")
                    SilentPing(contact: store.contact)
                    clear
                }
                if store.canPing {
                    WideButton("Ping \(store.displayName)", .bell) {
                        store.send(.pingButtonTapped)
                    }
                    Quiet("Asks whether they are fine. They answer with one tap.")
                    SilentPing(contact: store.contact)
                }
            }
        }
    }

    private var clear: some View {
        WideButton("Clear ping", .close) { store.send(.clearPingButtonTapped) }
    }

    /// Switches for the roles. A switch keeps its position until the user has confirmed the change.
    private var roles: some View {
        Card {
            Heading("Roles")
            Toggle(
                "My responder", isOn: $store[value: \.isResponder, toggle: \.responderToggleTapped]
            )
            .disabled(store.isBusy || !store.state.canChange(.responder))
            Quiet(store.state.roleHint(.responder))
            Toggle(
                ContactDetailsSheetViewFeature.State.roleTitle(.dependent),
                isOn: $store[value: \.isDependent, toggle: \.dependentToggleTapped]
            )
            .disabled(store.isBusy || !store.state.canChange(.dependent))
            Quiet(store.state.roleHint(.dependent))
        }
    }
}
