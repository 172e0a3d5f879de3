import Domain
import Features
import LivePages

extension CheckInFeature {
    /// The button with the time that is left, and what is known of the last and the next time.
    /// - Parameters:
    ///   - isProtected: somebody would hear of a missed check-in.
    ///   - hasMissed: the button comes first, and says what it does.
    static func view(
        _ state: State, isProtected: Bool = false, hasMissed: Bool = false
    ) -> HTML<Action> {
        section(
            .class("check-in card", state.tone.className), .labelled(by: "check-in-title")
        ) {
            h2(.id("check-in-title"), .class(hasMissed ? "unseen" : "")) { "Check-in" }
            if hasMissed { ring(state, hasMissed: true) }
            announcement(.polite) { statusPill(state, isProtected) }.key("status")
            if !hasMissed { ring(state, hasMissed: false) }
            waitingBanner(state.waitingWords).key("waiting")
            saved(state)
            if !state.isSheetOpen { errorNotice(state.error, dismiss: .dismissError).key("error") }
            facts(state)
        }
        .key("check-in")
    }

    /// The confirmation of a check-in takes the place of the status for a moment: nothing moves.
    private static func statusPill(_ state: State, _ isProtected: Bool) -> HTML<Action> {
        guard let confirmation = state.confirmation else {
            return Web.statusPill(state.statusWords(isProtected: isProtected), state.tone)
        }
        return span(.class("state")) {
            icon(.check)
            span {
                "Checked in at "
                moment(confirmation.occurredAt, .absolute)
            }
        }
    }

    private static func ring(_ state: State, hasMissed: Bool) -> HTML<Action> {
        let words = state.buttonWords(hasMissed: hasMissed)
        let button = button(
            .type("button"), .class("check-in-button"),
            .label(state.isCheckingIn ? "Checking in" : words), .keptOffline(.checkIn),
            .described(by: "deadline")
        ) {
            icon(.check)
            span { words }
            if let next = state.nextCheckInTime {
                span(.id("deadline"), .class("time-left")) { moment(next, .deadline) }
            }
        }
        .disabled(!state.canCheckIn)
        .onTap(Action.checkInButtonTapped)
        guard let last = state.lastCheckInTime, let next = state.nextCheckInTime else {
            return div(.class("ring")) { button }.key("ring")
        }
        return div(.class("ring"), .ring(from: last, until: next)) { button }.key("ring")
    }

    private static func saved(_ state: State) -> HTML<Action> {
        announcement(.polite, .class("notice")) {
            if state.isScheduleSaved {
                div(.class("banner fine wide")) {
                    icon(.check)
                    span(.class("grow")) { "Schedule saved" }
                    actionButton("OK", class: "plain", .scheduleSavedDismissed)
                        .attributes(
                            .label("OK: Schedule saved"), .pressesItself(after: .seconds(10)))
                }
            }
        }
        .key("saved")
    }

    private static func facts(_ state: State) -> HTML<Action> {
        div(.class("stack wide")) {
            dl(.class("facts")) {
                fact("Last check-in") {
                    if let last = state.lastCheckInTime { when(last) } else { "Not yet" }
                }
                if let waiting = state.waitingCheckInTime {
                    fact("Waiting to be sent since") { when(waiting) }
                }
            }
            schedule(state)
        }
        .key("facts")
    }

    /// Interval and reminders in one row, which opens them.
    private static func schedule(_ state: State) -> HTML<Action> {
        button(
            .type("button"), .class("schedule wide"), .label("Schedule"),
            .described(by: "schedule-words")
        ) {
            span(.class("grow")) {
                strong { "Schedule" }
                span(.id("schedule-words"), .class("quiet")) { state.scheduleWords }
            }
            icon(.forward)
        }
        .onTap(.scheduleButtonTapped)
        .disabled(state.isSavingSettings)
        .key("schedule")
    }
}
