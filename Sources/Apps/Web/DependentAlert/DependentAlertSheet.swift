import Domain
import Features
import LivePages

extension DependentAlertFeature {
    /// A dependent needs help: who, since when, how to reach them, who was told, and "I’m on it".
    static func view(_ state: State) -> HTML<Action> {
        let number = state.dependent?.phoneNumber
        return sheet(title(state), id: "alert", close: .closeButtonTapped) {
            errorNotice(state.error, dismiss: .dismissError)
            if let alert = state.alert {
                facts(alert, state)
            } else if state.isLoading {
                loadingLine("Loading the alert …")
            } else {
                unknown(state)
            }
            if let number { call(number, state) }
            if !state.isOver {
                number.flatMap { EmergencyNumber(for: $0) }.card(of: state.displayName)
            }
            if let alert = state.alert {
                whoIsOnIt(alert, state)
                reports(alert, state)
                history(alert, state)
            }
            if let note = state.emergencyNote {
                section(.class("card"), .labelled(by: "alert-note-title")) {
                    h3(.id("alert-note-title")) { "Emergency note" }
                    p(.class("note")) { note }
                }
            }
            if state.alert != nil { told(state) }
        }
        .onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

private func title(_ state: DependentAlertFeature.State) -> String {
    guard let alert = state.alert else { return "Alert of \(state.displayName)" }
    if state.isOver { return "\(state.displayName)’s alert has ended" }
    return alert.kind == .manual
        ? "\(state.displayName) needs help" : "\(state.displayName) has not checked in"
}

private func facts(_ alert: AlertRecord, _ state: DependentAlertFeature.State) -> HTML<
    DependentAlertFeature.Action
> {
    div(.class("card", state.isOver ? "" : "critical")) {
        announcement(.polite) {
            if state.isOver {
                p(.class("banner fine")) {
                    icon(.check)
                    strong { endWords(alert.kind, state.displayName) }
                }
            } else {
                statusPill("Open alert", .critical)
            }
        }
        .key("state")
        dl(.class("facts")) {
            fact(alert.kind == .manual ? "Raised" : "Deadline passed") {
                when(alert.deadline ?? alert.startTime)
            }
            if let end = alert.endTime {
                fact("Ended") { when(end) }
            } else {
                fact("Open for") { moment(alert.startTime, .stopwatch) }
            }
            if let last = state.dependent?.watch?.lastCheckInTime {
                fact("Last check-in") { when(last) }
            }
        }
        if alert.toldLate {
            p {
                "LifeSignal told you later than it should have."
            }
        }
    }
}

/// Opened because somebody needs help, the sheet begins with the call.
private func call(
    _ number: PhoneNumber, _ state: DependentAlertFeature.State
) -> HTML<DependentAlertFeature.Action> {
    guard !state.isOver else { return callLink(number, state.displayName, class: "wide") }
    return callLink(number, state.displayName, class: "primary wide").attributes(.autofocus)
}

/// A person can be called before the details have loaded.
private func unknown(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    div(.class("card critical")) {
        p {
            "The alert’s details have not loaded yet. You can still call \(state.displayName)."
        }
        actionButton("Load again", .refreshButtonTapped)
    }
}

private func whoIsOnIt(_ alert: AlertRecord, _ state: DependentAlertFeature.State) -> HTML<
    DependentAlertFeature.Action
> {
    section(.class("card"), .labelled(by: "alert-response-title")) {
        h3(.id("alert-response-title")) { state.isOver ? "Who helped" : "Who’s helping" }
        announcement(.polite) {
            if let acknowledgement = alert.acknowledgement {
                p(.class("row")) {
                    icon(.check)
                    strong { helper(acknowledgement, state) }
                    span(.class("quiet")) {
                        state.isOver ? "took it on " : "since "
                        moment(acknowledgement.time, .relative)
                    }
                }
            } else {
                p {
                    state.isOver
                        ? "No one helped."
                        : "No one yet. If you say you’re on it, the others are told."
                }
            }
        }
        if state.isOpen, state.alert?.acknowledgement == nil || state.isMine {
            actionButton(
                state.isAcknowledging
                    ? "Telling the others …" : state.isMine ? "I’m still on it" : "I’m on it",
                .check, class: "primary wide",
                .acknowledgeButtonTapped
            )
            .disabled(!state.canAcknowledge)
        }
        if state.isOpen, state.alert?.acknowledgement == nil { refusal(state) }
        if state.isMine, !state.isOver {
            actionButton(
                state.response == .withdraw ? "Telling everyone …" : "I can’t after all", .close,
                class: "wide", .withdrawButtonTapped
            )
            .disabled(!state.canWithdraw)
        }
    }
}

/// The second choice of somebody who has not taken it on.
private func refusal(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    announcement(.polite) {
        if state.hasDeclined {
            p { "You have said that you can’t. \(nextSteps(state))" }
        } else {
            actionButton(
                state.response == .decline ? "Saying so …" : "I can’t", .close,
                class: "plain wide", .declineButtonTapped
            )
            .disabled(!state.canDecline)
        }
    }
    .key("refusal")
}

private func nextSteps(_ state: DependentAlertFeature.State) -> String {
    state.othersTold.isEmpty
        ? "No one else was told: call \(state.displayName), or the emergency number."
        : "\(state.displayName)’s other responders are asked."
}

private func helper(
    _ acknowledgement: AlertRecord.Acknowledgement, _ state: DependentAlertFeature.State
) -> String {
    guard state.isOver else { return acknowledgement.words(isMine: state.isMine) }
    return state.isMine ? "You helped" : "\(ProfileRules.displayName(acknowledgement.name)) helped"
}

extension AlertRecord.Acknowledgement {
    /// The words while the alert is open.
    func words(isMine: Bool) -> String {
        isMine ? "You are on it" : "\(ProfileRules.displayName(name)) is on it"
    }
}

/// A call for help is ended by the person, a missed check-in by checking in.
func endWords(_ kind: AlertKind, _ name: String) -> String {
    kind == .manual ? "\(name) ended the alert" : "\(name) checked in"
}

private func told(_ state: DependentAlertFeature.State) -> HTML<DependentAlertFeature.Action> {
    section(.class("card"), .labelled(by: "alert-told-title")) {
        h3(.id("alert-told-title")) { "Who else was told" }
        if state.othersTold.isEmpty {
            p { "No one else." }
        } else {
            ul(.class("list")) { for name in state.othersTold { li { name } } }
        }
    }
}
