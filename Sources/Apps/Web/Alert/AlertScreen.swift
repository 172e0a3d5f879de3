import Domain
import Features
import LivePages

extension AlertFeature {
    /// The screen of an open alert: its duration, who was told, who is coming, and how to end it.
    /// - Parameters:
    ///   - responders: the responders that the user can call.
    ///   - missed: the user's other alert, about a missed check-in; below the button that ends this
    ///     one.
    static func screen<Parent>(
        _ state: State, emergency: EmergencyNumber? = nil, responders: [ContactData] = [],
        missed: HTML<Parent>, embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        section(.class("alert-screen"), .labelled(by: "alert-screen-title")) {
            icon(.alert)
            h1(
                .id("alert-screen-title"), .plain(.tabindex, "-1"), .focusWhenShown,
                .alarm(manualAlarm)
            ) { state.title }
            announcement(.assertive, .class("unseen")) {
                state.sentWords
            }.key("told")
            duration(state).map(embed)
            waitingBanner(state.waitingWords).key("waiting")
            announcement(.assertive, .class("coming")) {
                if let alert = state.currentAlert {
                    helpComing(
                        to: alert, state, responders: responders, emergency: emergency
                    ).map(embed)
                }
            }
            .key("coming")
            errorNotice(state.error, dismiss: embed(.dismissError)).key("error")
            ending(state).map(embed)
            missed
            calls(to: responders, state).map(embed)
            emergency.card(of: nil)
            told(state).map(embed)
            confirmation(state.confirmationAlert, id: "end-alert", focusesTitle: false) { action in
                action == .alertDeactivationConfirmed ? state.alertID.map(Attribute.ends) : nil
            }
            .map { embed(.confirmationAlert($0)) }
        }
        .key("alert-screen")
    }

    static func screen(
        _ state: State, emergency: EmergencyNumber? = nil, responders: [ContactData] = []
    ) -> HTML<Action> {
        screen(state, emergency: emergency, responders: responders, missed: .empty) { $0 }
    }

    private static func duration(_ state: State) -> HTML<Action> {
        p(.class("stopwatch")) {
            small { "On for " }
            if let start = state.alertStartTime, state.alertEndTime == nil {
                moment(start, .stopwatch)
            } else {
                state.formattedAlertDuration
            }
        }
        .key("duration")
    }

    private static func calls(to responders: [ContactData], _ state: State) -> HTML<Action> {
        guard !responders.isEmpty else { return .empty }
        return section(.class("card"), .labelled(by: "calls-title")) {
            h2(.id("calls-title")) { "Call a responder" }
            ul(.class("list")) {
                for contact in responders {
                    let name = ProfileRules.displayName(contact.name)
                    li(.class("row")) {
                        strong(.class("grow")) { name }
                        if let number = contact.phoneNumber {
                            if state.offersTextMessage { textLink(number, name) }
                            callLink(number, name)
                        }
                    }
                    .key("\(contact.id)")
                }
            }
            .key("calls-list")
        }
        .key("calls")
    }

    private static func textLink(_ number: PhoneNumber, _ name: String) -> HTML<Action> {
        a(
            .class("button"), .href(.message(number.text, body: AlertFeature.textMessage)),
            .label("Text \(name), \(number.text)")
        ) { "Text" }
    }

    private static func told(_ state: State) -> HTML<Action> {
        guard let alert = state.currentAlert else { return .empty }
        let answer = alert.lastAnswerTime?.milliseconds ?? 0
        return section(.class("card"), .labelled(by: "told-title")) {
            div(.class("bar")) {
                h2(.id("told-title")) { "Who was told" }
                actionButton("Refresh", class: "plain", .loadAlertDetails(alert.id))
            }
            ledgerList(
                alert.ledger.filter { $0.recipientId != alert.userId }, alert.history,
                stopped: state.stoppedResponders, empty: state.nobodyToldWords)
            ownTimeline(of: alert, stopped: state.stoppedResponders)
            // The key changes with each answer. An element with a new key counts as new, which
            // reloads the details. The section keeps its key, so that the focus and the unfolded
            // steps stay.
            span(.hidden) { "" }.key("answer-\(answer)").onAppear(.loadAlertDetails(alert.id))
        }
        .key("told-\(alert.id)")
    }

    private static func ending(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            holdButton(state)
                .disabled(!state.canDeactivateAlert)
                .onHold(seconds: AlertRules.hold.inSeconds) {
                    .alertDeactivationProgressChanged($0)
                }
                .key("hold")
            p(.id("hold-hint"), .class("hint")) { holdHint }
            progress(
                .plain(.max, "1"), .value("\(state.deactivationProgress)"),
                .label("Ending the alert"), .class(state.isEnding ? "" : "idle"))
            if state.isEnding {
                actionButton("Keep the alert", class: "wide", .alertDeactivationProgressChanged(0))
            } else {
                actionButton(
                    "End it without holding", class: "plain wide", .alertDeactivationButtonTapped
                )
                .attribute(state.alertID.map(Attribute.asksToEnd))
                .disabled(!state.canDeactivateAlert)
                // The script may have changed the text of the button of an earlier alert.
                .key("end-\(state.alertID?.description ?? "")")
            }
            // Offline, this screen stays after the end, without the page's alert button.
            againButton(class: "wide").attributes(.afterEnd, .hidden).key("again")
        }
        .key("ending")
    }

    private static func holdButton(_ state: State) -> HTML<Action> {
        button(.type("button"), .class("hold-button wide"), .described(by: "hold-hint")) {
            icon(.check)
            span { state.holdWords }
        }
        .attribute(state.alertID.map(Attribute.ends))
    }
}
