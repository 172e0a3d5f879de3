import Domain
import Foundation
import LivePages

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
            p(.class("quiet")) { "No one helped." }
        }
        if alert.toldLate {
            p(.class("hint")) {
                "LifeSignal was down at the time: your responders were told late."
            }
        }
    }
}
