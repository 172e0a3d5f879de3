import Domain
import Features
import SwiftUI

/// The recipients of an alert, one row each: "Ben: texted, answered".
struct LedgerList: View {
    let ledger: [AlertRecord.LedgerEntry]
    var actions: [AlertAction] = []
    let empty: String

    var body: some View {
        if ledger.isEmpty { Quiet(empty) }
        ForEach(LedgerRow.rows(of: ledger, actions: actions)) { person in
            VStack(alignment: .leading, spacing: 2) {
                Text("\(ProfileRules.displayName(person.name)): ").bold()
                    + Text(person.words.joined(separator: ", "))
                Quiet(.moment(person.time))
            }
            .accessibilityElement(children: .combine)
        }
    }
}

/// All steps of an alert's delivery, in order of time: "10:04:31 Ben: SMS sent".
struct LedgerTimeline: View {
    let ledger: [AlertRecord.LedgerEntry]

    var body: some View {
        if !ledger.isEmpty {
            DisclosureGroup("Step by step") {
                ForEach(Array(ledger.steps.enumerated()), id: \.offset) { _, entry in
                    step(entry).frame(maxWidth: .infinity, alignment: .leading)
                }
            }
        }
    }

    private func step(_ entry: AlertRecord.LedgerEntry) -> Text {
        var text = Text.second(entry.happenedAt) + Text(verbatim: " ")
        text = text + Text("\(ProfileRules.displayName(entry.name)): ").bold() + Text(entry.words)
        if let next = entry.nextTime, !entry.state.isSettled {
            text = text + Text(verbatim: " · ") + .second(next)
        }
        if let received = entry.receivedTime, entry.state != .received {
            text = text + Text(" · arrived ") + .second(received)
        }
        return text
    }
}

struct AlertOutcome: View {
    let alert: AlertRecord

    var body: some View {
        if let end = alert.endTime, let words = alert.openWords {
            Text("Ended after \(words), ") + .moment(end)
                + Text(verbatim: alert.endPlace.map { ", \($0)" } ?? "")
        } else {
            Text("Still open.")
        }
        if let words = alert.helpWords {
            Text(words)
        } else {
            Quiet("No one helped.")
        }
        if alert.toldLate {
            Quiet("LifeSignal was down at the time: your responders were told late.")
        }
    }
}
