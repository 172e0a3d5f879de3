import Domain
import Features
import SwiftUI

/// The recipients of an alert, one row each: "Ben: texted, answered".
struct LedgerList: View {
    let ledger: [AlertRecord.LedgerEntry]
    var actions: [AlertAction] = []
    /// The ids of the contacts' `stopped` responders.
    var stopped: Set<String> = []
    let empty: String

    var body: some View {
        if ledger.isEmpty { Quiet(empty) }
        ForEach(LedgerRow.rows(of: ledger, actions: actions, stopped: stopped)) { person in
            VStack(alignment: .leading, spacing: 2) {
                Text("\(ProfileRules.displayName(person.name)): ").bold()
                    + Text((person.earlier?.words ?? person.words).joined(separator: ", "))
                if let earlier = person.earlier {
                    Quiet(.moment(earlier.time))
                    Text(person.words.joined(separator: ", "))
                }
                Quiet(.moment(person.time))
            }
            .accessibilityElement(children: .combine)
        }
    }
}

/// What happened, in the order of time: "10:04:31 Ben: SMS sent".
struct TimelineList: View {
    let timeline: AlertTimeline

    var body: some View {
        ForEach(timeline.steps) { step in
            text(step).frame(maxWidth: .infinity, alignment: .leading)
        }
    }

    private func text(_ step: AlertTimeline.Step) -> Text {
        var text = Text.second(step.time) + Text(verbatim: " ") + Text(step.words).bold()
        if let next = step.next { text = text + Text(verbatim: " · ") + .second(next) }
        if let arrived = step.arrived { text = text + Text(" · arrived ") + .second(arrived) }
        return text
    }
}

/// The timeline of the user's own alert, to unfold. Empty before the details have loaded.
struct OwnTimeline: View {
    let alert: AlertRecord
    /// The ids of the contacts' `stopped` responders.
    var stopped: Set<String> = []

    var body: some View {
        if let timeline = alert.timeline(reader: nil, person: nil, stopped: stopped) {
            DisclosureGroup("Step by step") { TimelineList(timeline: timeline) }
        }
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
            Quiet(alert.noHelpWords)
        }
        if alert.toldLate {
            Quiet("LifeSignal was down at the time: your responders were told late.")
        }
    }
}
