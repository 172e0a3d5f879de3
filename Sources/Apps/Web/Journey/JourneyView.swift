import Domain
import Features
import LivePages

extension JourneyFeature {
    /// The running journey with the buttons for arrival and for a later return. Empty without one.
    static func card(_ state: State, told: Told = .init()) -> HTML<Action> {
        announcement(.polite, .class("notice")) {
            if let journey = state.journey {
                section(
                    .class("card", state.tone.className), .labelled(by: "journey-title")
                ) {
                    h2(.id("journey-title")) { journey.name }
                    p {
                        strong {
                            "\(JourneyWords.back) "
                            moment(journey.expectedReturn, .absolute)
                        }
                    }
                    p {
                        if state.stage == .overdue {
                            state.overdueWords(told)
                        } else if !told.isAnyoneTold {
                            JourneyWords.noOneIsTold
                        } else {
                            "\(JourneyWords.toldAt(told.names)) "
                            moment(journey.deadline, .absolute)
                            if let others = told.othersAt {
                                "\(JourneyWords.othersAt) "
                                moment(others, .absolute)
                            }
                            " \(JourneyWords.unless(told.othersAt))"
                        }
                    }
                    presses(state)
                }
                .key("journey-card")
            }
        }
        .key("journey")
    }

    /// The buttons for arrival and for a later return, and what the server doesn't know yet. Empty
    /// before the journey is known.
    static func presses(_ state: State) -> HTML<Action> {
        guard let journey = state.journey else { return .empty }
        return div(.class("stack")) {
            waitingBanner(state.waitingWords).key("journey-waiting")
            actionButton(
                JourneyWords.arrived, .check, class: "primary wide", .arriveButtonTapped
            )
            .attribute(.keptOffline(journey.id))
            .disabled(!state.canArrive)
            actionButton(JourneyWords.extend, class: "wide", .extendButtonTapped)
                .attribute(.keptOffline(journey.id))
                .attribute(.extends(journey.expectedReturn))
                .disabled(!state.canExtend)
            actionButton(
                JourneyWords.anotherReturn, class: "plain wide", .laterReturnButtonTapped
            )
            .disabled(!state.canExtend)
            if state.laterReturn == nil {
                errorNotice(state.error, dismiss: .dismissError).key("journey-error")
            }
        }
        .key("journey-presses")
    }

    static func sheets(_ state: State) -> HTML<Action> {
        if let start = state.form { return startSheet(start, state) }
        if let time = state.laterReturn { return returnSheet(time, state) }
        return .empty
    }

    private static func startSheet(_ start: Form, _ state: State) -> HTML<Action> {
        sheet(
            JourneyWords.title, id: "journey-sheet", closeLabel: "Cancel", close: .sheetDismissed
        ) {
            form(.class("stack")) {
                p { JourneyWords.explanation }
                field(
                    JourneyWords.name, id: "journey-name", hint: JourneyWords.nameHint,
                    error: start.nameRefusalWords,
                    control: input(
                        .type("text"), .name("journey-name"), .plain(.autocomplete, "off"),
                        .required, .draft, .value(start.name)
                    )
                    .readOnly(state.isSaving).onInput { .nameChanged($0) })
                returnFields(start.expectedReturn, state)
                graceField(start)
                responderFields(start)
                checkbox(JourneyWords.tellStart, isOn: start.tellsStart) { _ in
                    .tellsStartToggled
                }
                field(
                    JourneyWords.note, id: "journey-note", hint: JourneyWords.noteHint,
                    error: start.noteRefusalWords,
                    control: textarea(
                        .name("journey-note"), .plain(.rows, "4"), .plain(.autocomplete, "off"),
                        .draft
                    ) { start.note }
                    .readOnly(state.isSaving).onLongInput { .noteChanged($0) })
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(state.startWords, isEnabled: state.canStart)
            }
            .onSubmit(.startButtonTapped)
        }
    }

    private static func returnSheet(_ time: ReturnTime, _ state: State) -> HTML<Action> {
        sheet(
            JourneyWords.anotherReturn, id: "return-sheet", closeLabel: "Cancel",
            close: .sheetDismissed
        ) {
            form(.class("stack")) {
                returnFields(time, state)
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(state.confirmReturnWords, isEnabled: state.canConfirmReturn)
            }
            .onSubmit(.confirmReturnButtonTapped)
        }
    }

    private static func returnFields(_ time: ReturnTime, _ state: State) -> HTML<Action> {
        div(.class("stack")) {
            fieldset(.class("stack")) {
                legend { JourneyWords.expectedReturn }
                for hours in ReturnTime.hoursToChoose {
                    label(.class("choice")) {
                        input(
                            .type("radio"), .name("journey-hours"), .value("\(hours)"),
                            .checked(time.hours == hours)
                        )
                        .onChoose { _ in .hoursChosen(hours) }
                        span { JourneyWords.hoursWords(hours) }
                    }
                }
            }
            if state.canType {
                field(
                    JourneyWords.ownReturn, id: "journey-return", error: time.refusalWords,
                    control: returnInput(state.returnText(of: time)).onInput { .returnTyped($0) })
            } else if let date = time.date {
                p {
                    "\(JourneyWords.back) "
                    moment(date, .absolute)
                }
            }
        }
    }

    private static func returnInput(_ value: String?) -> HTML<Action> {
        let field: HTML<Action> = input(.type("datetime-local"), .name("journey-return"))
        return value.map { field.attributes(.value($0)) } ?? field
    }

    private static func graceField(_ start: Form) -> HTML<Action> {
        field(
            JourneyWords.grace, id: "journey-grace",
            control: select(.name("journey-grace"), .plain(.autocomplete, "off")) {
                for minutes in Form.graceChoices {
                    option(.value("\(minutes)"), .selected(minutes == start.graceMinutes)) {
                        JourneyWords.graceWords(minutes)
                    }
                }
            }
            .onChoose {
                .graceChosen(minutes: Int($0) ?? JourneyRules.standardGraceMinutes)
            })
    }

    private static func responderFields(_ start: Form) -> HTML<Action> {
        div(.class("stack")) {
            fieldset(.class("stack")) {
                legend { JourneyWords.responders }
                responderChoice(JourneyWords.allResponders, tellsAll: true, start)
                responderChoice(JourneyWords.chosenResponders, tellsAll: false, start)
                if !start.tellsAllResponders {
                    for person in start.responders {
                        checkbox(person.name, isOn: start.chosen.contains(person.id)) { _ in
                            .responderToggled(person.id)
                        }
                        .key("\(person.id)")
                    }
                }
            }
            if let refusal = start.responderRefusalWords {
                p(.class("error"), .role("alert")) {
                    icon(.alert)
                    refusal
                }
            }
        }
    }

    private static func responderChoice(
        _ words: String, tellsAll: Bool, _ start: Form
    ) -> HTML<Action> {
        label(.class("choice")) {
            input(
                .type("radio"), .name("journey-responders"), .value("\(tellsAll)"),
                .checked(start.tellsAllResponders == tellsAll)
            )
            .onChoose { _ in .tellsAllRespondersChosen(tellsAll) }
            span { words }
        }
    }
}
