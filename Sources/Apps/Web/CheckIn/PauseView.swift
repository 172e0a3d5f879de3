import Domain
import Features
import LivePages

extension PauseFeature {
    /// The present pause with the button that ends it. Empty without a pause.
    static func banner(_ state: State) -> HTML<Action> {
        group {
            if let pause = state.pause {
                div(.class("banner wide")) {
                    span(.class("grow")) {
                        strong {
                            "\(ScheduleWords.pausedUntil) "
                            moment(pause.until, .absolute)
                        }
                    }
                    actionButton(ScheduleWords.endPause, class: "wide", .endPauseButtonTapped)
                        .disabled(state.isSaving)
                }
                .key("pause")
            }
            waitingBanner(state.waitingWords).key("pause-waiting")
            if state.sheet == nil { errorNotice(state.error, dismiss: .dismissError) }
        }
    }

    /// The row that opens the sheet.
    static func row(_ state: State) -> HTML<Action> {
        button(.type("button"), .class("schedule wide")) {
            span(.class("grow")) {
                strong { state.title }
            }
            icon(.forward)
        }
        .onTap(.pauseButtonTapped)
        .disabled(state.isSaving)
        .key("pause-row")
    }

    static func sheets(_ state: State) -> HTML<Action> {
        guard let open = state.sheet else {
            return confirmation(state.confirmation, id: "pause-question").map {
                .confirmation($0)
            }
        }
        return sheet(state.title, id: "pause-sheet", closeLabel: "Cancel", close: .sheetDismissed) {
            form(.class("stack")) {
                p { State.explanation }
                fieldset(.class("stack")) {
                    legend { ScheduleWords.pauseLength }
                    for days in State.lengths {
                        label(.class("choice")) {
                            input(
                                .type("radio"), .name("pause-length"), .value("\(days)"),
                                .checked(open.end == open.openedAt.adding(.days(days)))
                            )
                            .onChoose { _ in .lengthChosen(days: days) }
                            span { Duration.days(days).words }
                        }
                    }
                }
                if state.canType {
                    field(
                        ScheduleWords.pauseEnd, id: "pause-end", error: state.refusalWords,
                        control: endInput(state.endText).onInput { .endTyped($0) })
                } else if let end = open.end {
                    p {
                        "\(ScheduleWords.pauseEnd) "
                        moment(end, .absolute)
                    }
                }
                errorNotice(state.error, dismiss: .dismissError)
                submitButton(state.confirmWords, isEnabled: state.canConfirm)
            }
            .onSubmit(.confirmButtonTapped)
        }
    }

    private static func endInput(_ value: String?) -> HTML<Action> {
        let field: HTML<Action> = input(.type("datetime-local"), .name("pause-end"))
        return value.map { field.attributes(.value($0)) } ?? field
    }
}
