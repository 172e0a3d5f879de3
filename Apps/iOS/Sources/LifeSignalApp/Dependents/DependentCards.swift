import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

struct TroubledCard: View {
    let contact: ContactData
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
    let helper: String?
    /// Read out after each change, for example when a helper takes the alert on.
    let news: String
    /// True while another view announces the same news.
    let isMuted: Bool
    var report: ReportNotice?
    /// The open alert about the person's journey; nil if there is none.
    var journey: AlertRecord?
    let store: StoreOf<DependentsFeature>

    var body: some View {
        let name = ProfileRules.displayName(contact.name)
        Card(tone: .critical) {
            ContactHead(contact: contact, select: { store.send(.selectContact(contact)) }) {
                WatchPill(contact.watch, knownUntil: knownUntil)
            }
            trouble(name) + lastSeen
            if let helper { Banner(.fine, .check) { Text(helper).bold() } }
            if let report {
                ReportLine(report: report, name: name) { store.send(.alertRequested($0)) }
            }
            WideButton("See the alert", .alert, kind: .primary) {
                store.send(.alertTapped(contact))
            }
            .accessibilityLabel("See \(name)’s alert")
            if let number = contact.phoneNumber { CallLink(number: number, name: name) }
            PingLine(contact: contact, store: store)
        }
        // The number of people in trouble is announced when the card appears.
        .announced(news, initial: false, isMuted: isMuted)
    }

    private func trouble(_ name: String) -> Text {
        if let journey {
            let words = Text("\(JourneyWords.notBack(name, from: journey.journey)). ")
            guard let time = journey.deadline else { return words }
            return words + Text("\(JourneyWords.expectedAt) ") + .moment(time)
                + .theirs(time, contact.watch) + Text(verbatim: ". ")
        }
        guard let watch = contact.watch, watch.status != .alertActive,
            let deadline = watch.nextCheckInTime
        else { return Text("\(contact.troubleWords). ") }
        guard watch.missedDeadline(at: Date.now.onServerClock) != nil else {
            return Text("\(contact.troubleWords). \(ScheduleWords.nextDeadlineIs) ")
                + .moment(deadline) + .theirs(deadline, watch) + Text(verbatim: ". ")
        }
        let words =
            watch.isUnconfirmed(knownUntil: knownUntil)
            ? contact.unconfirmedWords : contact.troubleWords
        return Text("\(words): ") + .when(deadline) + .theirs(deadline, watch)
            + Text(verbatim: ". ")
    }

    private var lastSeen: Text {
        guard let last = contact.watch?.lastCheckInTime else {
            return Text("There has been no check-in yet.")
        }
        return Text("Last check-in ") + .since(last) + .theirs(last, contact.watch)
            + Text(verbatim: ".")
    }
}

/// A report that pauses the alarms. The report may be wrong, so every responder who reads the
/// report can resume the alarms to the others.
struct ReportLine: View {
    let report: ReportNotice
    let name: String
    let send: @MainActor (DependentAlertFeature.Request) -> Void

    var body: some View {
        Banner(.warning, .bell) {
            Text(report.words).bold() + Text(verbatim: " · ") + .since(report.time)
        }
        .announced(report.words)
        Text("No one is alerted again until ") + .moment(report.end) + Text(verbatim: ".")
        WideButton(report.requestWords, .bell) { send(report.request) }
            .accessibilityLabel("\(report.requestWords) about \(name)")
    }
}

struct DependentCard: View {
    let contact: ContactData
    /// When the device last heard from the server; nil while the server is reachable.
    let knownUntil: Date?
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
                head { WatchPill(contact.watch, knownUntil: knownUntil) }
                JourneyFact(watch: contact.watch)
                Fact("Time left", timeLeft)
                Fact(
                    "Last check-in",
                    contact.watch?.lastCheckInTime.map {
                        Text.since($0) + .theirs($0, contact.watch)
                    } ?? Text("None yet"))
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
        if let end = contact.watch?.shownPause {
            return Text.paused(until: end) + .theirs(end, contact.watch)
        }
        guard let deadline = contact.watch?.nextCheckInTime else {
            return Text(contact.watch?.noDeadlineWords ?? "Has not begun yet")
        }
        let start = contact.watch?.lastCheckInTime ?? deadline
        return Text.countdown(to: deadline.onThisClock, from: start.onThisClock)
            + .theirs(deadline, contact.watch)
    }
}

struct PingLine: View {
    let contact: ContactData
    let store: StoreOf<DependentsFeature>

    var body: some View {
        let name = ProfileRules.displayName(contact.name)
        let ping = store.ping
        if ping.isWaitingToBeSent(contact.id) {
            Text("Your ping is waiting to be sent.")
        } else if let pinged = contact.pingedAt {
            Text("\(contact.pingedWords) ") + .since(pinged) + Text(". No answer yet.")
            SilentPing(contact: contact)
            WideButton("Clear ping", .close) { store.send(.ping(.clearPing(contact.id))) }
                .accessibilityLabel("Clear ping to \(name)")
                .disabled(ping.isInFlight(.clear(contact.id)))
        } else {
            WideButton("Ping", .bell) { store.send(.ping(.pingDependent(contact.id))) }
                .accessibilityLabel("Ping \(name)")
                .disabled(ping.isInFlight(.ping(contact.id)))
            Quiet("Asks whether \(name) is fine.")
            SilentPing(contact: contact)
        }
    }
}

/// A hint that none of the contact's devices announces pings. Empty if a device does, or if the
/// devices are unknown.
struct SilentPing: View {
    let contact: ContactData?

    var body: some View {
        if let words = contact?.silentPingWords { Quiet(words) }
    }
}
