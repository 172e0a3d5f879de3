import Domain
import Features
import LivePages

/// The form of a schedule: the kind, its times or its interval, and what it means.
/// - Parameters:
///   - isCompact: true to fit on one screen: rarely changed choices are folded.
///   - showsError: false until the person has tried to continue.
func scheduleFields(
    _ state: ScheduleFeature.State, isCompact: Bool = false, showsError: Bool = true
) -> HTML<ScheduleFeature.Action> {
    div(.class("stack")) {
        fieldset(.class("stack")) {
            legend(.class(isCompact ? "unseen" : "")) { ScheduleWords.kind }
            for kind in CheckInPlan.Kind.choices {
                label(.class("choice")) {
                    input(
                        .type("radio"), .name("plan"), .value(kind.rawValue),
                        .checked(kind == state.kind)
                    )
                    .onChoose { _ in .kindChosen(kind) }
                    span { kind.words }
                }
            }
        }
        switch state.kind {
        case .times: timeFields(state, isFolded: isCompact && state.hasUsualTimes)
        case .interval: intervalFields(state, isFolded: isCompact && !state.hasSleepHours)
        case .none: group {}
        }
        if showsError, state.kind != .interval, let refusal = state.refusalWords {
            p(.class("error"), .role("alert")) {
                icon(.alert)
                refusal
            }
        }
        meaning(state)
    }
}

/// - Parameter isFolded: true to hide what is rarely changed. With several times, each keeps its
///   opening beside it.
private func timeFields(
    _ state: ScheduleFeature.State, isFolded: Bool
) -> HTML<ScheduleFeature.Action> {
    div(.class("stack")) {
        for window in state.windows {
            windowFields(window, isOnly: state.windows.count == 1, showsOpening: !isFolded)
        }
        if isFolded {
            details(.class("stack")) {
                summary { ScheduleWords.moreChoices }
                for window in state.windows { opening(window) }
                rareFields(state)
            }
        } else {
            rareFields(state)
        }
    }
}

private func rareFields(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    group {
        if state.canAddWindow {
            actionButton(ScheduleWords.addTime, class: "wide", .addWindowTapped)
        }
        timeZoneField(state)
    }
}

private func timeZoneField(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    field(
        ScheduleWords.timeZone, id: "time-zone",
        hint: "Such as Europe/Berlin or America/New_York.",
        control: input(
            .type("text"), .name("time-zone"), .plain(.autocomplete, "off"),
            .plain(.spellcheck, "false"), .value(state.timeZone)
        )
        .onInput { .timeZoneChanged($0) })
}

private func windowFields(
    _ window: ScheduleFeature.Window, isOnly: Bool, showsOpening: Bool
) -> HTML<ScheduleFeature.Action> {
    let id = "window-\(window.id)"
    // Tells several times apart.
    func name(_ text: String) -> String { isOnly ? text : "\(text), \(window.deadline)" }
    return div(.class("card stack")) {
        field(
            ScheduleWords.deadline, id: "\(id)-time",
            control: input(.type("time"), .name("\(id)-time"), .value(window.deadline))
                .onInput { .deadlineChanged(window.id, $0) })
        div(.class("days"), .role("group"), .label(name("Days"))) {
            for day in Weekday.allCases {
                label(.class("choice")) {
                    input(
                        .type("checkbox"), .label(name(day.word)),
                        .checked(window.days.contains(day))
                    )
                    .onToggle { _ in .dayToggled(window.id, day) }
                    span { day.shortWord }
                }
            }
        }
        if showsOpening { opening(window) }
        if !isOnly {
            actionButton(
                ScheduleWords.removeTime, .close, class: "plain", .removeWindowTapped(window.id)
            )
            .attributes(.label("\(ScheduleWords.removeTime): \(window.deadline)"))
        }
    }
    .key(id)
}

private func opening(_ window: ScheduleFeature.Window) -> HTML<ScheduleFeature.Action> {
    let usual = ScheduleFeature.State.leadChoices
    let choices = usual.contains(window.lead) ? usual : usual + [window.lead]
    return field(
        ScheduleWords.opening, id: "window-\(window.id)-opening",
        control: select(.name("window-\(window.id)-opening"), .plain(.autocomplete, "off")) {
            for lead in choices {
                option(.value(lead.map(String.init) ?? ""), .selected(lead == window.lead)) {
                    ScheduleFeature.Window.leadWords(lead)
                }
            }
        }
        .onChoose { .leadChosen(window.id, minutes: Int($0)) })
}

/// - Parameter isFolded: true to hide the sleep hours.
private func intervalFields(
    _ state: ScheduleFeature.State, isFolded: Bool
) -> HTML<ScheduleFeature.Action> {
    let presets = state.presets
    return div(.class("stack")) {
        fieldset(.class("stack")) {
            legend { "How often" }
            for choice in presets {
                label(.class("choice")) {
                    input(
                        .type("radio"), .name("interval"), .value("\(choice.components.seconds)"),
                        .checked(choice == state.interval)
                    )
                    .onChoose { _ in .intervalPresetTapped(choice) }
                    span { "Every \(choice.words)" }
                }
            }
        }
        field(
            "Or another number of hours", id: "interval-hours", hint: hoursHint,
            error: state.intervalRefusalWords,
            control: hoursInput(shownHours(state.interval, state.typedHours, presets)).onInput {
                .customIntervalChanged(hours: wholeHours($0))
            }
        )
        if isFolded {
            details(.class("stack")) {
                summary { ScheduleWords.moreChoices }
                sleepFields(state)
            }
        } else {
            sleepFields(state)
        }
    }
}

private func sleepFields(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    div(.class("stack")) {
        checkbox(ScheduleWords.sleepHours, isOn: state.hasSleepHours) { _ in .sleepHoursToggled }
        p(.class("hint")) { ScheduleWords.sleepHint }
        if state.hasSleepHours {
            field(
                ScheduleWords.sleepFrom, id: "sleep-from",
                control: input(.type("time"), .name("sleep-from"), .value(state.sleepFrom))
                    .onInput { .sleepFromChanged($0) })
            field(
                ScheduleWords.sleepUntil, id: "sleep-until", error: state.sleepRefusalWords,
                control: input(.type("time"), .name("sleep-until"), .value(state.sleepUntil))
                    .onInput { .sleepUntilChanged($0) })
            timeZoneField(state)
        }
    }
    .key("sleep-hours")
}

/// What the form would mean, before it is saved.
private func meaning(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    announcement(.polite, .class("notice")) {
        if let silence = state.longestSilenceWords {
            div(.class("card stack")) {
                if !state.nextDeadlineWords.isEmpty {
                    strong { ScheduleWords.nextDeadlines }
                    ul {
                        for deadline in state.nextDeadlineWords { li { deadline } }
                    }
                }
                p { silence }
            }
        }
    }
    .key("meaning")
}

/// The question before a schedule is saved. Empty while none is asked.
func scheduleQuestion(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    guard let asked = state.question else { return .empty }
    return dialog(
        .modal, .class("question"), .role("alertdialog"), .labelled(by: "schedule-question-title"),
        .described(by: "schedule-question-message")
    ) {
        alarms()
        questionTitle(ScheduleWords.question, id: "schedule-question")
        p(.id("schedule-question-message")) { asked.words }
        div(.class("stack")) {
            actionButton(ScheduleWords.save, class: "wide", .questionAnswered(yes: true))
            actionButton(ScheduleWords.goBack, class: "wide", .questionAnswered(yes: false))
                .attributes(.closesDialog)
        }
    }
    .onDismiss(.questionAnswered(yes: false))
    .key("schedule-question")
}

private func hoursInput<Action>(_ value: String?) -> HTML<Action> {
    let field: HTML<Action> = input(
        .type("text"), .name("hours"), .plain(.inputmode, "numeric"), .plain(.autocomplete, "off"),
        .draft)
    return value.map { field.attributes(.value($0)) } ?? field
}

/// The reminders and the last call.
func reminderChoice(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    group {
        reminders(state)
        lastCall(state.lastCall)
    }
}

private func lastCall(_ chosen: LastCall) -> HTML<ScheduleFeature.Action> {
    fieldset(.class("stack")) {
        legend { LastCall.title }
        checkbox(LastCall.messageWords, isOn: chosen.sendsMessage) { _ in .lastCallToggled }
        checkbox(LastCall.answerWords, isOn: chosen.takesAnswers) { _ in .lastCallAnswersToggled }
        field(
            LastCall.callTitle, id: "last-call-by-phone",
            control: select(.name("last-call-by-phone"), .plain(.autocomplete, "off")) {
                for choice in LastCall.callChoices {
                    option(.value(choice.map(String.init) ?? ""), .selected(choice == chosen.calls))
                    { LastCall.words(ofCalls: choice) }
                }
            }
            .onChoose { .lastCallByPhoneChosen(Bool($0)) })
        p(.class("hint")) { LastCall.hint }
    }
}

private func reminders(_ state: ScheduleFeature.State) -> HTML<ScheduleFeature.Action> {
    fieldset(.class("stack")) {
        legend { "Remind me before the deadline" }
        checkbox("\(Reminder.twoHours.lead.words) before", isOn: state.twoHoursBefore) { _ in
            .twoHoursReminderToggled
        }
        checkbox("\(Reminder.thirtyMinutes.lead.words) before", isOn: state.thirtyMinutesBefore) {
            _ in .thirtyMinutesReminderToggled
        }
        p(.class("hint")) { "A reminder longer than the time between check-ins is skipped." }
    }
}
