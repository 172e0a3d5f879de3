import Domain
import Features
import Foundation
import LivePages

extension AlertFeature {
    /// The alarm of the alert that the user has raised. The user can have only one, and its id may
    /// not be known yet.
    static let manualAlarm = "own"
    static let missedCheckInTitle = "You missed your check-in"

    /// The user's own open alert in a few lines, for pages that don't show the whole alert. Empty
    /// if no alert is open.
    /// - Parameters:
    ///   - show: opens the alert's screen.
    ///   - checkIn: ends an alert about a missed check-in.
    ///   - responders: the responders that the user can call.
    ///   - emergency: the number to offer when every responder has refused.
    ///   - journey: the user's journey, which an alert may be about.
    ///   - press: turns a press on a button of the journey into an action of the parent.
    static func notice<Parent>(
        _ state: State, responders: [ContactData] = [], emergency: EmergencyNumber? = nil,
        show: Parent, checkIn: Parent, journey: JourneyFeature.State = .init(),
        press: ((JourneyFeature.Action) -> Parent)? = nil,
        embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        announcement(.assertive, .class("notice")) {
            if state.isOnOrBeingRaised {
                div(.class("card critical own-alert")) {
                    title("Your alert is on", id: manualAlarm, since: state.alertStartTime)
                    state.currentAlert.map {
                        helpComing(
                            to: $0, state, responders: responders, emergency: emergency
                        ).map(embed)
                    } ?? .empty
                    if let words = state.waitingWords { p { words } }
                    actionButton("Go to your alert", class: "primary", show).attributes(.showsAlert)
                }
                .key("manual")
            }
            missedCheckIn(
                state, responders: responders, emergency: emergency, checkIn: checkIn,
                embed: embed)
            overdueJourney(
                state, journey: journey, responders: responders, emergency: emergency,
                show: show, press: press, embed: embed)
            // This card only leads to Home. Home asks what to do about the end.
            if let end = state.endElsewhere, !state.isOnOrBeingRaised {
                div(.class("card critical own-alert")) {
                    endTitle(end)
                    actionButton("See what to do", class: "primary", show).attributes(.showsAlert)
                }
                .key("end-elsewhere")
            }
        }
        .key("own-alert")
    }

    /// The alert about a missed check-in: who was told, and how to end it. Empty if there is none.
    static func missedCheckIn<Parent>(
        _ state: State, responders: [ContactData] = [], emergency: EmergencyNumber? = nil,
        checkIn: Parent?,
        embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        guard let alert = state.missedCheckIn else { return .empty }
        return div(.class("card critical own-alert")) {
            title(missedCheckInTitle, id: alert.id, since: alert.startTime)
            helpComing(to: alert, state, responders: responders, emergency: emergency)
                .map(embed)
            if let checkIn {
                button(.type("button"), .class("primary"), .keptOffline(.checkIn)) {
                    icon(.check)
                    span { "I am fine: check in" }
                }
                .onTap(checkIn)
            }
        }
        .key("missed")
    }

    /// The alert about the user's journey: who was told, and the presses that end it. Empty if
    /// there is none.
    /// - Parameter show: opens Home, which loads the journey; nil on Home.
    static func overdueJourney<Parent>(
        _ state: State, journey: JourneyFeature.State, responders: [ContactData] = [],
        emergency: EmergencyNumber? = nil, show: Parent? = nil,
        press: ((JourneyFeature.Action) -> Parent)?, embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        guard let alert = state.overdueJourney else { return .empty }
        return div(.class("card critical own-alert")) {
            title(
                JourneyWords.notBack(from: alert.journey), id: alert.id, since: alert.startTime)
            helpComing(to: alert, state, responders: responders, emergency: emergency)
                .map(embed)
            if let press, journey.journey != nil {
                JourneyFeature.presses(journey).map(press)
            } else if let show {
                actionButton("See what to do", class: "primary", show).attributes(.showsAlert)
            }
        }
        .key("overdue-journey")
    }

    /// Says who is coming, with a button that calls them. A screen reader reads changes at once,
    /// because the user waits for help.
    static func helpComing(
        to alert: AlertRecord, _ state: State, responders: [ContactData] = [],
        emergency: EmergencyNumber? = nil
    ) -> HTML<Action> {
        group {
            if let acknowledgement = alert.acknowledgement {
                p(.class("banner fine")) {
                    let name = ProfileRules.displayName(acknowledgement.name)
                    icon(.check)
                    span(.class("grow")) {
                        strong(.alarm("\(alert.id)-\(acknowledgement.responderId)")) {
                            "\(name) is on it"
                        }
                        " · "
                        moment(acknowledgement.time, .absolute)
                    }
                    if let number = acknowledgement.number(among: responders) {
                        callLink(number, name)
                    }
                }
            }
            let words = state.reportWords(of: alert)
            if let words { report(alert, words, state) }
            // All may have refused during the pause after a report.
            if alert.acknowledgement == nil, words == nil || alert.isRefusedByAll == true {
                noAnswer(to: alert, state, responders: responders, emergency: emergency)
            }
        }
    }

    /// A responder's report, which pauses the alarms. The report may be wrong, so the user can
    /// resume the alarms at once.
    private static func report(
        _ alert: AlertRecord, _ words: String, _ state: State
    ) -> HTML<Action> {
        div(.class("stack")) {
            p(.class("banner")) {
                icon(.bell)
                span {
                    strong(.alarm("\(alert.id)-\(alert.report?.time.milliseconds ?? 0)")) { words }
                    if let report = alert.report {
                        " · "
                        moment(report.time, .absolute)
                    }
                }
            }
            if let end = alert.pausedUntil {
                p {
                    "No one is alerted again until "
                    moment(end, .absolute)
                    "."
                }
            }
            actionButton(
                state.resumeWords(of: alert), .bell, class: "wide", .resumeButtonTapped(alert.id)
            )
            .disabled(state.resumingAlert != nil)
        }
        .key("report-\(alert.id)")
    }

    private static func noAnswer(
        to alert: AlertRecord, _ state: State, responders: [ContactData],
        emergency: EmergencyNumber?
    ) -> HTML<Action> {
        div(.class("stack")) {
            if state.hasResponders == false || alert.isRefusedByAll == true {
                p {
                    strong(.alarm("\(alert.id)-unanswered-\(alert.isRefusedByAll == true)")) {
                        state.noAnswerWords(to: alert)
                    }
                }
            } else if state.isUnheard(alert) {
                p { strong { state.noAnswerWords(to: alert) } }
            } else {
                p { state.noAnswerWords(to: alert) }
            }
            if state.hasResponders == false {
                actionButton("Add a responder", .scan, .addResponderButtonTapped)
            }
            if alert.isRefusedByAll == true || alert.isUnheard == true {
                if let emergency {
                    a(
                        .class("button wide"), .href(.telephone(emergency.text)),
                        .label("Call the emergency number \(emergency.text)")
                    ) {
                        icon(.phone)
                        "Call \(emergency.text)"
                    }
                }
                for contact in responders {
                    if let number = contact.phoneNumber {
                        callLink(number, contact.displayName, words: contact.displayName)
                    }
                }
            }
        }
        .key("no-answer-\(alert.id)")
    }

    /// Says which device ended the alert, where and when. The card stays until the user has
    /// answered it here. The script raises the new alert, so a lost connection loses nothing.
    static func endElsewhere(_ state: State) -> HTML<Action> {
        guard let end = state.endElsewhere, !state.isOnOrBeingRaised else { return .empty }
        return div(.class("card critical")) {
            endTitle(end)
            p { end.advice }
            againButton(class: "primary wide")
            if !end.isSessionEnded {
                actionButton("Sign that device out", class: "wide", .signOutElsewhereButtonTapped)
            }
            actionButton("OK, that was me", class: "plain wide", .endElsewhereRead)
            errorNotice(state.error, dismiss: .dismissError)
            confirmation(state.confirmationAlert, id: "end-elsewhere", focusesTitle: false)
                .map(Action.confirmationAlert)
        }
        .key("end-elsewhere")
    }

    /// Raises a new alert after the end of one.
    static func againButton(class name: String) -> HTML<Action> {
        button(.type("button"), .class(name), .keptOffline(.alert), .isAgain) {
            icon(.alert)
            "Call for help again"
        }
    }

    private static func endTitle<Parent>(_ end: EndElsewhere) -> HTML<Parent> {
        p(.class("row")) {
            icon(.alert)
            span(.class("grow")) {
                strong(.alarm("end-\(end.time.milliseconds)")) { end.title }
                " · "
                moment(end.time, .absolute)
            }
        }
    }

    /// No stopwatch in the title, because a screen reader would read the time out every second.
    private static func title<Parent>(
        _ words: String, id: String, since start: Date?
    ) -> HTML<Parent> {
        p(.class("row")) {
            icon(.alert)
            strong(.alarm(id)) { words }
            if let start {
                span {
                    "since "
                    moment(start, .absolute)
                }
            }
        }
    }
}
