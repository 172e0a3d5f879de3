import Domain
import Features
import LivePages

/// The recipients, one row each: "Ben: texted, answered".
func ledgerList<Action>(
    _ ledger: [AlertRecord.LedgerEntry], _ actions: [AlertAction] = [], empty: String
) -> HTML<Action> {
    guard !ledger.isEmpty else { return p(.class("quiet")) { empty } }
    return ul(.class("list ledger")) {
        for person in LedgerRow.rows(of: ledger, actions: actions) {
            li {
                strong { "\(ProfileRules.displayName(person.name)): " }
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

/// All steps in order of time: "10:04:31 Ben: SMS sent".
func ledgerTimeline<Action>(_ ledger: [AlertRecord.LedgerEntry]) -> HTML<Action> {
    guard !ledger.isEmpty else { return .empty }
    return details {
        summary { "Step by step" }
        ol(.class("list timeline")) {
            for (number, entry) in ledger.steps.enumerated() {
                li {
                    moment(entry.happenedAt, .second)
                    " "
                    strong { "\(ProfileRules.displayName(entry.name)): " }
                    entry.words
                    if let next = entry.nextTime, !entry.state.isSettled {
                        " · "
                        moment(next, .second)
                    }
                    if let received = entry.receivedTime, entry.state != .received {
                        span(.class("quiet")) {
                            " · arrived "
                            moment(received, .second)
                        }
                    }
                }
                .key("step-\(number)")
            }
        }
    }
    .key("timeline")
}
