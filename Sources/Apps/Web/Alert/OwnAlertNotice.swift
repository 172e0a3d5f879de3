import Domain
import Features
import Foundation
import LivePages

extension AlertFeature {
    /// The user's own open alert in a few lines, for where its screen is not; nothing without one.
    /// - Parameters:
    ///   - show: leads to the screen of the alert.
    ///   - checkIn: ends an alert about a missed check-in.
    ///   - responders: those whom the person can call.
    static func notice<Parent>(
        _ state: State, responders: [ContactData] = [], show: Parent, checkIn: Parent,
        embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        announcement(.assertive, .class("notice")) {
            if state.isOnOrBeingRaised {
                div(.class("card critical own-alert")) {
                    title("Your alert is on", since: state.alertStartTime)
                    state.currentAlert.map {
                        helpComing(to: $0, state, responders: responders).map(embed)
                    } ?? .empty
                    if let words = state.waitingText { p { words } }
                    actionButton("Go to your alert", class: "primary", show)
                }
                .key("manual")
            }
            missedCheckIn(state, responders: responders, checkIn: checkIn, embed: embed)
        }
        .key("own-alert")
    }

    /// A deadline has passed: who was told of it, and how it ends. Nothing without one.
    static func missedCheckIn<Parent>(
        _ state: State, responders: [ContactData] = [], checkIn: Parent?,
        embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        guard let alert = state.missedCheckIn else { return .empty }
        return div(.class("card critical own-alert")) {
            title("You missed your check-in", since: alert.startTime)
            helpComing(to: alert, state, responders: responders).map(embed)
            if let checkIn {
                actionButton("I am fine: check in", .check, class: "primary", checkIn)
            }
        }
        .key("missed")
    }

    /// Told at once to somebody who waits for it, with a call to the helper.
    static func helpComing(
        to alert: AlertRecord, _ state: State, responders: [ContactData] = []
    ) -> HTML<Action> {
        if let acknowledgement = alert.acknowledgement {
            p(.class("banner fine")) {
                let name = ProfileRules.displayName(acknowledgement.name)
                icon(.check)
                span {
                    strong { "\(name) is on it" }
                    " · "
                    moment(acknowledgement.time, .relative)
                }
                if let number = acknowledgement.number(among: responders) {
                    callLink(number, name)
                }
            }
        } else if state.hasResponders == false {
            div(.class("stack")) {
                p { strong { state.noAnswerWords } }
                actionButton("Add a responder", .scan, .addResponderButtonTapped)
            }
        } else {
            p { state.noAnswerWords }
        }
    }

    private static func title<Parent>(_ words: String, since start: Date?) -> HTML<Parent> {
        p(.class("row")) {
            icon(.alert)
            strong { words }
            if let start { moment(start, .stopwatch) }
        }
    }
}
