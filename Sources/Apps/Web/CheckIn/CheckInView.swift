import Domain
import Features
import Foundation
import LivePages

extension CheckInFeature {
    /// The check-in button with the time left, and the state of the check-in.
    /// - Parameters:
    ///   - isProtected: whether every responder would be told of a missed check-in.
    ///   - hasMissed: whether a check-in was missed. If so, the button says in words what it does.
    ///   - missedDeadline: the deadline of the open alert. The ring shows this one, because a
    ///     later deadline would seem to leave time.
    ///   - showsPause: false if something more urgent than the pause is shown.
    static func view(
        _ state: State, isProtected: Bool = false, hasMissed: Bool = false,
        missedDeadline: Date? = nil, showsPause: Bool = true
    ) -> HTML<Action> {
        part(
            "check-in",
            of: Shown(
                state: state, isProtected: isProtected, hasMissed: hasMissed,
                missedDeadline: missedDeadline, showsPause: showsPause),
            content: card)
    }

    /// - Parameter showsPause: true if the button's card doesn't show the pause.
    static func facts(_ state: State, showsPause: Bool = false) -> HTML<Action> {
        part(
            "check-in-details", of: Shown(state: state, showsPause: showsPause), content: factCard)
    }

    private struct Shown: Equatable {
        var state: State
        var isProtected = false
        var hasMissed = false
        var missedDeadline: Date?
        var showsPause: Bool
    }

    private static func card(_ shown: Shown) -> HTML<Action> {
        let (state, hasMissed) = (shown.state, shown.hasMissed)
        return section(
            .class("check-in card", state.tone.className, hasMissed ? "late" : ""),
            .labelled(by: "check-in-title")
        ) {
            h2(.id("check-in-title"), .class("unseen")) { "Check-in" }
            ring(
                state, hasMissed: hasMissed, until: shown.missedDeadline ?? state.nextCheckInTime)
            announcement(.polite) {
                statusPill(state, isProtected: shown.isProtected, hasMissed: hasMissed)
                if state.nextCheckInTime != nil { unsentPill(State.unsentWords) }
            }
            .key("status")
            waitingBanner(state.waitingWords).key("waiting")
            if shown.showsPause { PauseFeature.banner(state.pause).map(Action.pause) }
            timeZoneQuestion(state)
            if !state.isSheetOpen { errorNotice(state.error, dismiss: .dismissError).key("error") }
        }
    }

    private static func factCard(_ shown: Shown) -> HTML<Action> {
        section(.class("card"), .label("Check-in details")) {
            saved(shown.state)
            if shown.showsPause { PauseFeature.banner(shown.state.pause).map(Action.pause) }
            factList(shown.state)
        }
    }

    /// The status. A check-in's confirmation replaces the status, so that nothing moves: for a
    /// moment, or until the window opens.
    private static func statusPill(
        _ state: State, isProtected: Bool, hasMissed: Bool
    ) -> HTML<Action> {
        let statuses = hasMissed ? [] : state.laterStatuses(isProtected: isProtected)
        let later = statuses.map { (begins: $0.begins, words: $0.words, tone: $0.tone) }
        guard let confirmation = state.confirmation else {
            return statusPills(
                state.statusWords(isProtected: isProtected, hasMissed: hasMissed),
                state.statusTone(hasMissed: hasMissed),
                isDated: state.isStatusDated(hasMissed: hasMissed), later: later)
        }
        let early = confirmation.earlyTimes
        let tone = early == nil ? Tone.normal : .warning
        let pill: HTML<Action> = span(.class("state", tone.className)) {
            icon(tone.icon)
            span {
                if let times = early {
                    "\(CheckInRecord.earlyStart) "
                    moment(times.deadline, .absolute)
                    " \(CheckInRecord.earlyMiddle) "
                    moment(times.opening, .absolute)
                } else {
                    "Checked in at "
                    moment(confirmation.occurredAt, .absolute)
                }
            }
        }
        // An offline page shows an early check-in's answer for hours.
        return early == nil ? pill : statusPills(pill, later: later)
    }

    private static func ring(
        _ state: State, hasMissed: Bool, until deadline: Date?
    ) -> HTML<Action> {
        let words = state.buttonWords(hasMissed: hasMissed)
        let button = button(
            .type("button"), .class("check-in-button"),
            .label(state.isCheckingIn ? "Checking in" : words), .keptOffline(.checkIn),
            .described(by: "deadline")
        ) {
            icon(.check)
            span { words }
            if let deadline {
                span(.id("deadline"), .class("time-left")) { moment(deadline, .deadline) }
            }
        }
        .disabled(!state.canCheckIn)
        .onTap(Action.checkInButtonTapped)
        guard let last = state.lastCheckInTime, let deadline else {
            return div(.class("ring")) { button }.key("ring")
        }
        return div(.class("ring"), .ring(from: last, until: deadline)) { button }.key("ring")
    }

    private static func timeZoneQuestion(_ state: State) -> HTML<Action> {
        guard let question = state.timeZoneQuestion else { return .empty }
        let answers = state.timeZoneAnswers
        return div(.class("banner wide")) {
            div(.class("grow stack")) {
                p { question }
                actionButton(answers.new, class: "wide", .timeZoneAnswered(usesNew: true))
                actionButton(answers.present, class: "wide", .timeZoneAnswered(usesNew: false))
            }
        }
        .key("time-zone")
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

    private static func factList(_ state: State) -> HTML<Action> {
        div(.class("stack wide")) {
            dl(.class("facts")) {
                fact("Last check-in") {
                    if let last = state.lastCheckInTime { when(last) } else { "Not yet" }
                }
                if let next = state.nextCheckInTime {
                    fact(ScheduleWords.deadline) { when(next) }
                }
                if let waiting = state.waitingCheckInTime {
                    fact("Waiting to be sent since") { when(waiting) }
                }
            }
            schedule(state)
            PauseFeature.row(state.pause).map(Action.pause)
        }
        .key("facts")
    }

    /// The schedule and the reminders in one row. A press opens the sheet.
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
