import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// Somebody who needs help: the whole card says so, and the first thing on it is what to do.
struct TroubledCard: View {
    let contact: ContactData
    let helper: String?
    let store: StoreOf<DependentsFeature>

    var body: some View {
        let name = ProfileRules.displayName(contact.name)
        Card(tone: .critical) {
            ContactHead(contact: contact, select: { store.send(.selectContact(contact)) }) {
                StatusPill(contact.watch?.status.words ?? "", .critical)
            }
            trouble(name) + lastSeen
            if let helper { Banner(.fine, .check) { Text(helper).bold() } }
            WideButton("See the alert", .alert, kind: .primary) {
                store.send(.alertTapped(contact))
            }
            .accessibilityLabel("See \(name)’s alert")
            if let number = contact.phoneNumber { CallLink(number: number, name: name) }
            PingLine(contact: contact, store: store)
        }
    }

    private func trouble(_ name: String) -> Text {
        if contact.watch?.status == .alertActive {
            return Text("\(contact.troubleWords). ")
        }
        guard let deadline = contact.watch?.nextCheckInTime else { return Text(verbatim: "") }
        return Text("\(name) has not checked in: ") + .when(deadline) + Text(verbatim: ". ")
    }

    private var lastSeen: Text {
        guard let last = contact.watch?.lastCheckInTime else {
            return Text("There has been no check-in yet.")
        }
        return Text("Last check-in ") + .since(last) + Text(verbatim: ".")
    }
}

struct DependentCard: View {
    let contact: ContactData
    let store: StoreOf<DependentsFeature>

    var body: some View {
        Card {
            if let request = contact.request(.dependent) {
                head {
                    RequestPill(request: request)
                    Quiet(
                        request.isMine
                            ? "You asked to be their responder" : "Asks you to be their responder")
                }
            } else {
                head { StatusPill(contact.watch?.status.words ?? "Fine", .normal) }
                Fact("Time left", timeLeft)
                Fact(
                    "Last check-in",
                    contact.watch?.lastCheckInTime.map { .since($0) } ?? Text("None yet"))
                PingLine(contact: contact, store: store)
            }
        }
    }

    private func head<Status: View>(@ViewBuilder status: () -> Status) -> some View {
        let status = status()
        return ContactHead(
            contact: contact, select: { store.send(.selectContact(contact)) }
        ) { status }
    }

    private var timeLeft: Text {
        guard let deadline = contact.watch?.nextCheckInTime else {
            return Text("Has not begun yet")
        }
        return .countdown(to: deadline, from: contact.watch?.lastCheckInTime ?? deadline)
    }
}

/// Tells whether an answer is pending, with its button.
struct PingLine: View {
    let contact: ContactData
    let store: StoreOf<DependentsFeature>

    var body: some View {
        let name = ProfileRules.displayName(contact.name)
        let ping = store.ping
        if ping.isWaitingToBeSent(contact.id) {
            Text("Your ping is waiting to be sent.")
        } else if let pinged = contact.pingedAt {
            Text("Pinged ") + .since(pinged) + Text(". No answer yet.")
            WideButton("Clear ping", .close) { store.send(.ping(.clearPing(contact.id))) }
                .accessibilityLabel("Clear ping to \(name)")
                .disabled(ping.isInFlight(.clear(contact.id)))
        } else {
            WideButton("Ping", .bell) { store.send(.ping(.pingDependent(contact.id))) }
                .accessibilityLabel("Ping \(name)")
                .disabled(ping.isInFlight(.ping(contact.id)))
            Quiet("Asks whether \(name) is fine.")
        }
    }
}
