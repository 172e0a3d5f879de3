import Domain
import Features
import LivePages

func alertOutcome<Action>(_ alert: AlertRecord) -> HTML<Action> {
    group {
        if let end = alert.endTime, let duration = alert.openWords {
            p {
                "Ended after \(duration), "
                moment(end, .absolute)
                alert.endPlace.map { ", \($0)." } ?? "."
            }
        } else {
            p { "Still open." }
        }
        if let words = alert.helpWords {
            p { words }
        } else {
            p(.class("quiet")) { alert.noHelpWords }
        }
        if alert.toldLate {
            p(.class("hint")) {
                "LifeSignal was down at the time: your responders were told late."
            }
        }
    }
}
