import Domain
import Foundation

extension AlertKind {
    var words: String {
        switch self {
        case .manual: "Alert raised by hand"
        case .missedCheckIn: "Missed check-in"
        }
    }
}

/// How long an alert was open, who took it on, and whether it was told late.
func alertOutcome<Action>(_ alert: AlertRecord) -> HTML<Action> {
    group {
        if let end = alert.endTime {
            let seconds = Int(max(0, end.timeIntervalSince(alert.startTime)))
            p {
                "Ended after \(Duration.seconds(seconds).words), "
                moment(end, .absolute)
                "."
            }
        } else {
            p { "Still open." }
        }
        if let answer = alert.acknowledgement {
            p {
                """
                \(ProfileRules.displayName(answer.name)) took it on after \
                \(Duration.seconds(Int(max(0, answer.afterSeconds))).words).
                """
            }
        } else {
            p(.class("quiet")) { "Nobody took it on." }
        }
        if alert.toldLate {
            p(.class("hint")) {
                "LifeSignal was not working at that moment: your responders were told late."
            }
        }
    }
}

/// The deliveries of an alert: recipient, channel, time and result.
func ledgerList<Action>(_ ledger: [AlertRecord.LedgerEntry], empty: String) -> HTML<Action> {
    guard !ledger.isEmpty else { return p(.class("quiet")) { empty } }
    return ul(.class("list ledger")) {
        for entry in ledger {
            li {
                strong { ProfileRules.displayName(entry.name) }
                span(.class("quiet")) {
                    " \(entry.channel.words), \(entry.state.words) · "
                    moment(entry.time, .absolute)
                }
            }
        }
    }
}

extension DeliveryChannel {
    var words: String {
        switch self {
        case .stream: "in LifeSignal"
        case .console: "on the server's screen"
        case .webhook: "by push message"
        case .sms: "by SMS"
        case .unknown: "in another way"
        }
    }
}

extension DeliveryState {
    var words: String {
        switch self {
        case .queued: "about to be sent"
        case .sending: "being sent"
        case .retrying: "waiting to be sent again"
        case .accepted: "sent"
        case .seen: "seen"
        case .acknowledged: "answered"
        case .failed: "could not be delivered"
        case .givenUp: "not delivered in time"
        case .superseded: "overtaken by newer news"
        case .unknown: "not known here what became of it"
        }
    }
}
