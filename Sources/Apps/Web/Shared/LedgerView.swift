import Domain
import Features
import LivePages

/// The recipients, one row each: "Ben: texted, answered · 6:29, text waits · 6:31".
func ledgerList<Action>(
    _ ledger: [AlertRecord.LedgerEntry], _ actions: [AlertAction] = [],
    stopped: Set<String> = [], empty: String
) -> HTML<Action> {
    guard !ledger.isEmpty else { return p(.class("quiet")) { empty } }
    return ul(.class("list ledger")) {
        for person in LedgerRow.rows(of: ledger, actions: actions, stopped: stopped) {
            li {
                strong { "\(ProfileRules.displayName(person.name)): " }
                if let earlier = person.earlier {
                    earlier.words.joined(separator: ", ")
                    span(.class("quiet")) {
                        " · "
                        moment(earlier.time, .absolute)
                    }
                    ", "
                }
                person.words.joined(separator: ", ")
                span(.class("quiet")) {
                    " · "
                    moment(person.time, .absolute)
                }
            }
            .key(person.id)
        }
    }
}

/// What happened, in the order of time: "10:04:31 Ben: SMS sent".
func timelineList<Action>(_ timeline: AlertTimeline) -> HTML<Action> {
    ol(.class("list timeline")) {
        for step in timeline.steps {
            li {
                moment(step.time, .second)
                " "
                strong { step.words }
                if let next = step.next {
                    " · "
                    moment(next, .second)
                }
                if let arrived = step.arrived {
                    span(.class("quiet")) {
                        " · arrived "
                        moment(arrived, .second)
                    }
                }
            }
            .key("step-\(step.id)")
        }
    }
}

/// The timeline of the reader's own alert, to unfold.
func ownTimeline<Action>(of alert: AlertRecord, stopped: Set<String> = []) -> HTML<Action> {
    guard let timeline = alert.timeline(reader: nil, person: nil, stopped: stopped) else {
        return .empty
    }
    return details {
        summary { "Step by step" }
        timelineList(timeline)
    }
    .key("timeline")
}
