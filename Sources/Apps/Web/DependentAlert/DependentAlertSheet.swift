import Domain
import Features
import LivePages

extension DependentAlertFeature {
    static func view(_ state: State) -> HTML<Action> {
        let number = state.dependent?.phoneNumber
        return sheet(state.title, id: "alert", close: .closeButtonTapped) {
            errorNotice(state.error, dismiss: .dismissError)
            if let alert = state.alert {
                facts(alert, state)
            } else if state.isLoading {
                loadingLine("Loading the alert …")
            } else {
                unknown(state)
            }
            others(state)
            if let note = state.journeyNote {
                section(.class("card"), .labelled(by: "journey-note-title")) {
                    h3(.id("journey-note-title")) { state.journeyNoteTitle }
                    p(.class("note")) { note }
                }
            }
            if let number { call(number, state) }
            if !state.isOver {
                number.flatMap { EmergencyNumber(for: $0) }.card(of: state.displayName)
            }
            if let alert = state.alert {
                whoIsOnIt(state)
                reports(alert, state)
                history(state)
            }
            if let note = state.emergencyNote {
                section(.class("card"), .labelled(by: "alert-note-title")) {
                    h3(.id("alert-note-title")) { "Emergency note" }
                    p(.class("note")) { note }
                }
            }
            if state.alert != nil { told(state) }
            confirmation(state.confirmation, id: "report-question").map { .confirmation($0) }
        }
        .attribute(state.alarm)
        .key("alert-\(state.id)").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

extension DependentAlertFeature.State {
    /// The alarm that the sheet is about, so that the sheet doesn't repeat it. The person's other
    /// alarms are repeated. nil for an ended alert, and for a person who is not in the contacts.
    fileprivate var alarm: Attribute? {
        guard let dependent, !isOver else { return nil }
        switch alert?.kind {
        case .manual: return .alarm(of: dependent, status: .alertActive)
        case .missedCheckIn: return .alarm(of: dependent, status: .nonResponsive)
        case .journey: return .alarm(of: dependent, journey: alert)
        case nil: return .alarm(of: dependent)
        }
    }
}

private func facts(_ alert: AlertRecord, _ state: DependentAlertFeature.State) -> HTML<
    DependentAlertFeature.Action
> {
    div(.class("card", state.isOver ? "" : "critical")) {
        announcement(.polite) {
            if state.isOver {
                p(.class("banner fine")) {
                    icon(.check)
                    strong { state.endingWords ?? "" }
                }
            } else {
                statusPill("Open alert", .critical)
            }
        }
        .key("state")
        dl(.class("facts")) {
            fact(state.startTitle) {
                moment(alert.deadline ?? alert.startTime, .when, of: state.dependent?.watch)
            }
            if let end = alert.endTime {
                fact("Ended") { moment(end, .when, of: state.dependent?.watch) }
            } else {
                fact("Open for") { moment(alert.startTime, .stopwatch) }
            }
            if let last = state.dependent?.watch?.lastCheckInTime {
                fact("Last check-in") { moment(last, .when, of: state.dependent?.watch) }
            }
        }
        if alert.toldLate {
            p {
                AlertWords.toldLate
            }
        }
    }
}

/// The person's other open alerts. Each key differs, so that a press, which shows that alert, moves
/// the focus to the sheet's title and scrolls there.
private func others(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    announcement(.polite, .class("notice")) {
        for other in state.others {
            div(.class("card critical trouble")) {
                p {
                    icon(.alert)
                    strong(.class("grow")) { state.otherWords(other) }
                }
                actionButton("See that alert", class: "wide", .otherAlertTapped(other.id))
                    .attributes(.label("See that alert: \(other.kind.words)"))
            }
            .key(other.id)
        }
    }
    .key("others")
}

/// The call button. While the alert is open, the button takes the focus when it appears. It appears
/// when the sheet opens, or when the number has loaded.
private func call(
    _ number: PhoneNumber, _ state: DependentAlertFeature.State
) -> HTML<DependentAlertFeature.Action> {
    guard !state.isOver else { return callLink(number, state.displayName, class: "wide") }
    return callLink(number, state.displayName, class: "primary wide")
        .attributes(.focusWhenShown)
}

/// The card until the details have loaded. The dependent can already be called.
private func unknown(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    div(.class("card critical")) {
        p { state.unknownWords }
        actionButton("Load again", .refreshButtonTapped)
    }
}

private func whoIsOnIt(_ state: DependentAlertFeature.State) -> HTML<
    DependentAlertFeature.Action
> {
    section(.class("card"), .labelled(by: "alert-response-title")) {
        h3(.id("alert-response-title")) { state.helpersTitle }
        announcement(.polite) {
            if let time = state.helpedSince {
                p(.class("row")) {
                    icon(.check)
                    strong { state.helperWords }
                    span(.class("quiet")) {
                        state.isOver ? "took it on " : "since "
                        moment(time, .absolute, of: state.dependent?.watch)
                    }
                }
            } else {
                p { state.helperWords }
            }
        }
        if state.showsAcknowledge {
            actionButton(
                state.acknowledgeWords, .check, class: "primary wide", .acknowledgeButtonTapped
            )
            .disabled(!state.canAcknowledge)
        }
        if state.showsRefusal { refusal(state) }
        if state.showsWithdrawal {
            actionButton(
                state.withdrawWords, .close, class: "wide", .withdrawButtonTapped
            )
            .disabled(!state.canWithdraw)
        }
    }
}

/// The button "I can't", or the confirmation after the user has declined.
private func refusal(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    announcement(.polite) {
        if state.hasDeclined {
            p { state.declinedWords }
        } else {
            actionButton(
                state.declineWords, .close, class: "plain wide", .declineButtonTapped
            )
            .disabled(!state.canDecline)
        }
    }
    .key("refusal")
}

private func told(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    section(.class("card"), .labelled(by: "alert-told-title")) {
        h3(.id("alert-told-title")) { state.othersTitle }
        if state.othersTold.isEmpty {
            p { state.noOthersWords }
        } else {
            ul(.class("list")) { for name in state.othersTold { li { name } } }
        }
    }
}
